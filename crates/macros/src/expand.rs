//! From the function and its options to a struct and builder calls.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, ItemFn};

use crate::function::{Cx, Field, Parameter, take_apart};
use crate::options::{Options, krate};

pub(crate) fn tool(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let options: Options = syn::parse2(options)?;
    let mut body: ItemFn = syn::parse2(item).map_err(|error| {
        syn::Error::new(
            error.span(),
            format!("`#[tool]` goes on an async function: {error}"),
        )
    })?;
    let function = take_apart(&mut body)?;

    let krate = krate(&options);
    let krate_text = krate.to_token_stream().to_string().replace(' ', "");
    let serde_path = format!("{krate_text}::__private::serde");
    let schemars_path = format!("{krate_text}::__private::schemars");
    let visibility = body.vis.clone();
    let name = body.sig.ident.clone();
    let tool_name = options
        .name
        .as_ref()
        .map_or_else(|| name.to_string(), syn::LitStr::value);
    let input = format_ident!("{}Input", pascal(&name.to_string()), span = name.span());
    let (docs, others): (Vec<Attribute>, Vec<Attribute>) = std::mem::take(&mut body.attrs)
        .into_iter()
        .partition(|a| a.path().is_ident("doc"));

    let fields = function
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Parameter::Field(Field {
                name,
                ty,
                attributes,
            }) => Some(quote!(#(#attributes)* #visibility #name: #ty)),
            Parameter::Cx(_) => None,
        });
    let arguments = function.parameters.iter().map(|parameter| match parameter {
        Parameter::Field(Field { name, .. }) => quote!(__input.#name),
        Parameter::Cx(Cx {
            is_reference: true, ..
        }) => quote!(&__cx),
        Parameter::Cx(_) => quote!(__cx.clone()),
    });
    let progress = function
        .parameters
        .iter()
        .find_map(|parameter| match parameter {
            Parameter::Cx(cx) => cx.progress.as_ref().map(ToTokens::to_token_stream),
            Parameter::Field(_) => None,
        })
        .unwrap_or_else(|| quote!(#krate::NoProgress));

    let description = &function.description;
    let effects = options.effects();
    let calls = &options.calls;
    let input_doc = format!("The input of the tool `{tool_name}`.");
    body.vis = syn::Visibility::Inherited;
    body.sig.ident = format_ident!("__body");
    let body_name = &body.sig.ident;

    Ok(quote! {
        #[doc = #input_doc]
        #[derive(
            #krate::__private::serde::Deserialize,
            #krate::__private::schemars::JsonSchema,
        )]
        #[serde(crate = #serde_path)]
        #[schemars(crate = #schemars_path)]
        #visibility struct #input { #(#fields,)* }

        #(#docs)*
        // The `?` turns whatever error the body has into a tool's, where it is one already too.
        #[allow(clippy::needless_question_mark)]
        #visibility fn #name() -> impl #krate::Tool<#progress, Input = #input> {
            use #krate as __toolpost;
            #(#others)*
            #body
            #krate::ToolBuilder::<#input>::new(#tool_name, #description)
                #effects
                #(#calls)*
                .call(|__input: #input, __cx: #krate::Context<#progress>| async move {
                    ::core::result::Result::<_, #krate::ToolError>::Ok(
                        #body_name(#(#arguments),*).await?
                    )
                })
        }
    })
}

fn pascal(snake: &str) -> String {
    let words = snake.trim_start_matches("r#").split('_');
    let upper = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
    };
    words.filter_map(upper).collect()
}
