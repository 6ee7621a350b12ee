//! The function that a tool is made of, taken apart.

use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, ExprLit, FnArg, GenericArgument, Ident, ItemFn, Lit, Meta, Pat, PathArguments,
    ReturnType, Type, TypePath,
};

/// One parameter of the input.
pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    /// Its doc comment and its `serde` and `schemars` attributes.
    pub(crate) attributes: Vec<Attribute>,
}

/// How the function takes the context.
pub(crate) struct Cx {
    pub(crate) progress: Option<Type>,
    pub(crate) is_reference: bool,
}

/// A parameter in its place.
pub(crate) enum Parameter {
    Field(Field),
    Cx(Cx),
}

/// What the macro needs of the function.
pub(crate) struct Function {
    pub(crate) description: String,
    pub(crate) parameters: Vec<Parameter>,
}

/// Takes the function apart; what a tool cannot have is an error at its place. The attributes of
/// the parameters are taken off.
pub(crate) fn take_apart(function: &mut ItemFn) -> syn::Result<Function> {
    let signature = &mut function.sig;
    let fail = |span, message: &str| Err(syn::Error::new(span, message));
    if signature.asyncness.is_none() {
        return fail(
            signature.fn_token.span,
            "a tool is an async function: write `async fn`",
        );
    }
    if !signature.generics.params.is_empty() {
        let message = "a tool has one schema, so its function cannot be generic";
        return fail(signature.generics.span(), message);
    }
    check_return(&signature.output, &signature.ident)?;
    let description = description(&function.attrs);
    if description.is_empty() {
        let message = "a tool needs a doc comment: it is the description that a model chooses by";
        return fail(signature.ident.span(), message);
    }
    let mut parameters = Vec::new();
    for argument in &mut signature.inputs {
        let FnArg::Typed(argument) = argument else {
            return fail(
                argument.span(),
                "a tool's function has no `self`; for a tool with fields, implement `Tool`, or put \
                 them in the session's state",
            );
        };
        let attributes = std::mem::take(&mut argument.attrs);
        if let Some(cx) = context(&argument.ty) {
            if parameters
                .iter()
                .any(|parameter| matches!(parameter, Parameter::Cx(_)))
            {
                return fail(argument.span(), "one context is enough");
            }
            parameters.push(Parameter::Cx(cx));
            continue;
        }
        let Pat::Ident(name) = &*argument.pat else {
            return fail(
                argument.pat.span(),
                "a parameter is a field of the input: give it a name",
            );
        };
        let name = name.ident.clone();
        if let Type::Reference(reference) = &*argument.ty {
            let message = "a field of the input is owned: `String` for `&str`, `Vec<T>` for `&[T]`";
            return fail(reference.and_token.span, message);
        }
        check_attributes(&name, &attributes)?;
        parameters.push(Parameter::Field(Field {
            name,
            ty: (*argument.ty).clone(),
            attributes,
        }));
    }
    Ok(Function {
        description,
        parameters,
    })
}

fn check_return(output: &ReturnType, name: &Ident) -> syn::Result<()> {
    let message = "a tool returns a `Result`, such as `Result<String, ToolError>`";
    match output {
        ReturnType::Default => Err(syn::Error::new(name.span(), message)),
        ReturnType::Type(_, ty) => match last_segment(ty) {
            Some(last) if last.ident.to_string().ends_with("Result") => Ok(()),
            _ => Err(syn::Error::new(ty.span(), message)),
        },
    }
}

fn check_attributes(name: &Ident, attributes: &[Attribute]) -> syn::Result<()> {
    for attribute in attributes {
        let path = attribute.path();
        if !["doc", "serde", "schemars", "cfg"]
            .iter()
            .any(|known| path.is_ident(known))
        {
            let message = "a parameter can have a doc comment, `serde` and `schemars` attributes";
            return Err(syn::Error::new(attribute.span(), message));
        }
    }
    if description(attributes).is_empty() {
        let message =
            format!("say what `{name}` is: its doc comment is what the model reads of it");
        return Err(syn::Error::new(name.span(), message));
    }
    Ok(())
}

/// `&Context`, `&Context<P>`, or the same by value.
fn context(ty: &Type) -> Option<Cx> {
    let (is_reference, ty) = match ty {
        Type::Reference(reference) => (true, &*reference.elem),
        other => (false, other),
    };
    let last = last_segment(ty)?;
    if last.ident != "Context" {
        return None;
    }
    let progress = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty.clone()),
                _ => None,
            })
        }
        _ => None,
    };
    Some(Cx {
        progress,
        is_reference,
    })
}

fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(TypePath { path, .. }) => path.segments.last(),
        _ => None,
    }
}

/// The text of a doc comment up to its first heading.
pub(crate) fn description(attributes: &[Attribute]) -> String {
    let lines = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        });
    let mut text = String::new();
    for line in lines.flat_map(|line| line.lines().map(str::to_owned).collect::<Vec<_>>()) {
        let line = line.strip_prefix(' ').unwrap_or(&line);
        if line.starts_with("# ") || line.starts_with("## ") {
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    text.trim().to_owned()
}
