//! Notebooks: read by cell, and changed by cell.

use serde_json::{Value, json};
#[cfg(feature = "media")]
use toolpost_core::Content;

use crate::common::{Bench, set_time};

/// A notebook as Jupyter writes it.
const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title\n",
    "with \u00e9"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "calc",
   "metadata": {"collapsed": false, "x": 1.50},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "hello\n"
     ]
    },
    {
     "data": {
      "text/html": "<b>6</b>",
      "text/plain": "6"
     },
     "execution_count": 3,
     "metadata": {},
     "output_type": "execute_result"
    },
    {
     "ename": "ValueError",
     "evalue": "no",
     "output_type": "error",
     "traceback": ["\u001b[31mValueError\u001b[0m: no"]
    }
   ],
   "source": [
    "print('hello')\n",
    "1 + 5"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {"name": "python3"}
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

async fn bench() -> Bench {
    let bench = Bench::new();
    bench.put("n.ipynb", NOTEBOOK);
    bench.read("n.ipynb").await;
    bench
}

async fn edit(bench: &Bench, mut input: Value) -> String {
    input["notebook_path"] = json!("n.ipynb");
    bench.done("NotebookEdit", input).await
}

async fn refused(bench: &Bench, mut input: Value) -> (String, String) {
    input["notebook_path"] = json!("n.ipynb");
    bench.fails("NotebookEdit", input).await
}

fn text(bench: &Bench) -> String {
    String::from_utf8(bench.bytes("n.ipynb")).unwrap()
}

#[tokio::test]
async fn cells_are_shown_with_ids_kinds_and_outputs() {
    let bench = Bench::new();
    bench.put("n.ipynb", NOTEBOOK);
    insta::assert_snapshot!(bench.read("n.ipynb").await, @r#"
    --- `intro` (markdown)
    # Title
    with é

    --- `calc` (code, run 3)
    print('hello')
    1 + 5
    --- output: stdout
    hello
    --- output
    6
    --- output: error ValueError: no
    ValueError: no

    [cells 1-2 of 2 are shown]
    "#);
    let second = json!({ "file_path": "n.ipynb", "offset": 2, "limit": 1 });
    let outcome = bench.call("Read", second).await;
    assert!(outcome.model_text().starts_with("--- `calc` (code, run 3)"));
    assert_eq!(
        outcome.structured.unwrap()["cells"],
        json!({ "first": 2, "count": 1, "total": 2 })
    );
    let first = json!({ "file_path": "n.ipynb", "limit": 1 });
    let text = bench.done("Read", first).await;
    assert!(
        text.ends_with("[cells 1-1 of 2 are shown; go on with offset 2]"),
        "{text}"
    );
    let (code, _) = bench
        .fails("Read", json!({ "file_path": "n.ipynb", "offset": 3 }))
        .await;
    assert_eq!(code, "past_end");
}

#[tokio::test]
async fn a_replaced_cell_loses_its_outputs_and_nothing_else_changes() {
    let bench = bench().await;
    let said = edit(
        &bench,
        json!({ "cell_id": "calc", "new_source": "2 + \"é\"\nx" }),
    )
    .await;
    assert!(
        said.starts_with("changed cell `calc` of `n.ipynb` (2 cells now)\n@@"),
        "{said}"
    );
    let start = NOTEBOOK
        .find("   \"execution_count\": 3,\n   \"id\"")
        .unwrap();
    let wanted = format!(
        "{}   \"execution_count\": null,\n   \"id\": \"calc\",\n   \"metadata\": {{\"collapsed\": false, \"x\": 1.50}},\n   \
         \"outputs\": [],\n   \"source\": [\n    \"2 + \\\"é\\\"\\n\",\n    \"x\"\n   ]\n  }}\n ],\n{}",
        &NOTEBOOK[..start],
        &NOTEBOOK[NOTEBOOK.find(" \"metadata\": {\n  \"kernelspec\"").unwrap()..]
    );
    assert_eq!(text(&bench), wanted);
}

#[tokio::test]
async fn fault_59_claude_code_4613_a_new_cell_comes_after_the_named_one_or_at_the_end() {
    let bench = bench().await;
    edit(
        &bench,
        json!({ "edit_mode": "insert", "new_source": "last" }),
    )
    .await;
    edit(&bench, json!({ "edit_mode": "insert", "cell_id": "intro", "new_source": "*second*", "cell_type": "markdown" })).await;
    let value: Value = serde_json::from_str(&text(&bench)).unwrap();
    let sources: Vec<&Value> = value["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| &cell["source"][0])
        .collect();
    assert_eq!(
        sources,
        ["# Title\n", "*second*", "print('hello')\n", "last"]
    );
    assert_eq!(value["cells"][1]["cell_type"], "markdown");
    assert!(value["cells"][1].get("outputs").is_none());
    assert_eq!(value["cells"][3]["outputs"], json!([]));
    assert!(value["cells"][3]["id"].is_string());
    // All bytes of the old cells are there.
    let old = &NOTEBOOK[NOTEBOOK.find("  {\n   \"cell_type\": \"code\"").unwrap()
        ..NOTEBOOK.find("\n ],").unwrap()];
    assert!(text(&bench).contains(old));
    assert!(text(&bench).ends_with(&NOTEBOOK[NOTEBOOK.find("\n ],\n \"metadata\"").unwrap()..]));
    let (code, message) = refused(
        &bench,
        json!({ "edit_mode": "insert", "cell_id": "clac", "new_source": "x" }),
    )
    .await;
    assert_eq!(code, "no_cell");
    insta::assert_snapshot!(message, @"there is no cell `clac` in `n.ipynb`; did you mean `calc`?");
}

#[tokio::test]
async fn fault_60_bounty_challenge_24867_a_broken_notebook_is_left_alone_and_shown_as_text() {
    let bench = Bench::new();
    let broken = &NOTEBOOK[..400];
    let path = bench.put("n.ipynb", broken);
    set_time(&path, 1);
    let shown = bench.read("n.ipynb").await;
    assert!(shown.starts_with("1\t{\n2\t \"cells\": ["), "{shown}");
    assert!(
        shown
            .contains("[this is no notebook that can be shown as one, so it is shown as text: EOF"),
        "{shown}"
    );
    let before = path.metadata().unwrap().modified().unwrap();
    for input in [
        json!({ "cell_id": "intro", "new_source": "x" }),
        json!({ "edit_mode": "insert", "new_source": "x" }),
    ] {
        let (code, message) = refused(&bench, input).await;
        assert_eq!(code, "bad_notebook", "{message}");
    }
    assert_eq!(text(&bench), broken);
    assert_eq!(path.metadata().unwrap().modified().unwrap(), before);
    bench.put("n.ipynb", "");
    bench.read("n.ipynb").await;
    assert_eq!(
        refused(&bench, json!({ "edit_mode": "insert", "new_source": "x" }))
            .await
            .0,
        "bad_notebook"
    );
    assert_eq!(text(&bench), "");
}

#[tokio::test]
async fn cells_are_deleted_and_change_their_kind() {
    let bench = bench().await;
    edit(
        &bench,
        json!({ "cell_id": "calc", "cell_type": "markdown", "new_source": "text" }),
    )
    .await;
    let value: Value = serde_json::from_str(&text(&bench)).unwrap();
    let keys: Vec<&String> = value["cells"][1].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["cell_type", "id", "metadata", "source"]);
    edit(&bench, json!({ "cell_id": "cell-0", "cell_type": "code" })).await;
    let value: Value = serde_json::from_str(&text(&bench)).unwrap();
    assert_eq!(value["cells"][0]["source"][0], "# Title\n");
    assert_eq!(value["cells"][0]["outputs"], json!([]));
    edit(&bench, json!({ "cell_id": "intro", "edit_mode": "delete" })).await;
    edit(&bench, json!({ "cell_id": "calc", "edit_mode": "delete" })).await;
    assert!(
        text(&bench).starts_with("{\n \"cells\": [],\n \"metadata\""),
        "{}",
        text(&bench)
    );
    assert_eq!(bench.read("n.ipynb").await, "[the notebook has no cells]");
    edit(&bench, json!({ "edit_mode": "insert", "new_source": "a" })).await;
    insta::assert_snapshot!(&text(&bench)[..90].replace(char::is_numeric, "0"), @r#"
    {
     "cells": [
      {
       "cell_type": "code",
       "execution_count": null,
       "id": "00dc0d0f",
    "#);
}

#[tokio::test]
async fn what_is_missing_or_the_same_is_told() {
    let bench = bench().await;
    let said = edit(
        &bench,
        json!({ "cell_id": "calc", "new_source": "print('hello')\n1 + 5" }),
    )
    .await;
    insta::assert_snapshot!(said, @"no change: cell `calc` of `n.ipynb` is like this already");
    assert_eq!(text(&bench), NOTEBOOK);
    assert_eq!(
        refused(&bench, json!({ "new_source": "x" })).await.0,
        "no_cell"
    );
    assert_eq!(
        refused(&bench, json!({ "cell_id": "calc" })).await.0,
        "no_source"
    );
    assert_eq!(
        refused(&bench, json!({ "edit_mode": "insert" })).await.0,
        "no_source"
    );
    assert_eq!(
        refused(
            &bench,
            json!({ "edit_mode": "delete", "cell_id": "cell-9" })
        )
        .await
        .0,
        "no_cell"
    );
    bench.put("n.ipynb", NOTEBOOK.replace("Title", "Other"));
    assert_eq!(
        refused(&bench, json!({ "cell_id": "calc", "new_source": "x" }))
            .await
            .0,
        "stale"
    );
    let bench = Bench::new();
    bench.put("n.ipynb", NOTEBOOK);
    assert_eq!(
        refused(&bench, json!({ "cell_id": "calc", "new_source": "x" }))
            .await
            .0,
        "not_read"
    );
    bench.put(
        "old.ipynb",
        NOTEBOOK.replace("\"nbformat_minor\": 5", "\"nbformat_minor\": 4"),
    );
    bench.read("old.ipynb").await;
    bench
        .done(
            "NotebookEdit",
            json!({ "notebook_path": "old.ipynb", "edit_mode": "insert", "new_source": "x" }),
        )
        .await;
    let value: Value = serde_json::from_slice(&bench.bytes("old.ipynb")).unwrap();
    assert!(value["cells"][2].get("id").is_none());
}

#[tokio::test]
async fn long_outputs_are_cut_and_what_cannot_be_shown_is_named() {
    let bench = Bench::new();
    let long = "é".repeat(20_000);
    let outputs = json!([
        { "output_type": "stream", "name": "stderr", "text": long },
        { "output_type": "display_data", "data": { "image/png": "bm90IGEgcG5n", "text/plain": "<Figure>" } },
        { "output_type": "display_data", "data": { "application/x-widget": {} } },
        { "output_type": "odd" },
    ]);
    let notebook = json!({ "nbformat": 4, "nbformat_minor": 2, "cells": [
        { "cell_type": "code", "source": "x", "outputs": outputs, "attachments": { "a.png": {} } },
    ] });
    bench.put("n.ipynb", notebook.to_string());
    let shown = bench.read("n.ipynb").await;
    let (cut, rest) = shown.split_once("… ").unwrap();
    assert!(cut.len() < 11 * 1024);
    insta::assert_snapshot!(rest, @r#"
    [+29760 bytes]
    --- output
    <Figure>
    [left out: image/png of 12 bytes]
    --- output
    [left out: application/x-widget]
    --- output
    [left out: an output of the kind `odd`]

    [cells 1-1 of 1 are shown]
    "#);
}

#[tokio::test]
async fn however_many_outputs_there_are_a_page_is_a_page() {
    let bench = Bench::new();
    let output = json!({ "output_type": "stream", "name": "stdout", "text": "x".repeat(2_000) });
    let cell = json!({ "cell_type": "code", "source": "y", "outputs": vec![output; 2_000] });
    let notebook = json!({ "nbformat": 4, "cells": [cell, cell] });
    bench.put("n.ipynb", notebook.to_string());
    let shown = bench.read("n.ipynb").await;
    assert!(shown.len() < 260 * 1024, "{}", shown.len());
    assert!(shown.contains(" more outputs]"));
    assert!(shown.ends_with("[cells 1-1 of 2 are shown; go on with offset 2]"));
}

#[cfg(feature = "media")]
#[tokio::test]
async fn pictures_in_outputs_are_pictures() {
    use base64::Engine as _;
    let bench = Bench::new();
    let mut png = Vec::new();
    image::DynamicImage::new_rgb8(3, 2)
        .write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png)
        .unwrap();
    let data = base64::engine::general_purpose::STANDARD.encode(&png);
    let notebook = json!({ "nbformat": 4, "nbformat_minor": 2, "cells": [
        { "cell_type": "code", "source": "x", "outputs": [
            { "output_type": "display_data", "data": { "image/png": format!("{data}\n"), "text/plain": "<Figure>" } },
        ] },
    ] });
    bench.put("n.ipynb", notebook.to_string());
    let outcome = bench.call("Read", json!({ "file_path": "n.ipynb" })).await;
    let [
        Content::Text { .. },
        Content::Image {
            data: shown,
            mime_type,
        },
        Content::Text { .. },
    ] = &outcome.content[..]
    else {
        panic!("{:?}", outcome.content)
    };
    assert_eq!((shown, mime_type.as_str()), (&data, "image/png"));
}
