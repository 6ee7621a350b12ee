use super::{test_name, test_of};

#[test]
fn the_name_of_a_test_is_the_path_within_its_crate() {
    let name = |closure| test_name(closure);
    assert_eq!(
        name("my_crate::tests::greets::{{closure}}"),
        "tests::greets"
    );
    assert_eq!(
        name("greets::greets::{{closure}}::{{closure}}::{{closure}}"),
        "greets"
    );
}

#[test]
fn each_call_of_a_test_has_a_number() {
    fn of<F>(_: F) -> String {
        test_of::<F>()
    }
    let numbered: Vec<String> = (0..2).map(|_| of(|| ())).collect();
    let name = "environment::child::tests::each_call_of_a_test_has_a_number";
    assert_eq!(numbered, [format!("{name}#1"), format!("{name}#2")]);
}
