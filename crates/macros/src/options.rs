//! The options of `#[tool(…)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Expr, Ident, LitInt, LitStr, Path, Token};

/// What was said in the parentheses.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) name: Option<LitStr>,
    pub(crate) krate: Option<Path>,
    /// Further builder calls, in the order in which they were written.
    pub(crate) calls: Vec<TokenStream>,
    effects: Effects,
}

#[derive(Default)]
struct Effects {
    read_only: Option<Span>,
    destructive: Option<Span>,
    idempotent: Option<Span>,
    open_world: Option<Span>,
    closed_world: Option<Span>,
    of_input: Option<Span>,
}

const KNOWN: &str = "`name`, `search_hint`, `read_only`, `destructive`, `idempotent`, \
    `open_world`, `closed_world`, `effects`, `describe`, `footprint`, `subjects`, \
    `check_permissions`, `concurrency_safe`, `failure_reach`, `exposure`, `timeout_ms`, `lax`, \
    `crate`";

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = Self::default();
        while !input.is_empty() {
            if input.peek(Token![crate]) {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>()?;
                options.krate = Some(input.parse()?);
            } else {
                let key: Ident = input.parse().map_err(|error| {
                    syn::Error::new(error.span(), format!("expected one of {KNOWN}"))
                })?;
                options.option(&key, input)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        options.effects.check()?;
        Ok(options)
    }
}

impl Options {
    fn option(&mut self, key: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        let effects = &mut self.effects;
        match key.to_string().as_str() {
            "read_only" => effects.read_only = Some(key.span()),
            "destructive" => effects.destructive = Some(key.span()),
            "idempotent" => effects.idempotent = Some(key.span()),
            "open_world" => effects.open_world = Some(key.span()),
            "closed_world" => effects.closed_world = Some(key.span()),
            "concurrency_safe" => self.calls.push(quote!(.is_concurrency_safe(|_| true))),
            "lax" => self.calls.push(quote!(.lax())),
            "name" => {
                let name: LitStr = value(key, input)?;
                if !is_name(&name.value()) {
                    let message = "a tool's name is 1 to 128 of `A-Z a-z 0-9 _ . -`";
                    return Err(syn::Error::new(name.span(), message));
                }
                self.name = Some(name);
            }
            "search_hint" => {
                let hint: LitStr = value(key, input)?;
                self.calls.push(quote!(.search_hint(#hint)));
            }
            "timeout_ms" => {
                let ms: LitInt = value(key, input)?;
                self.calls
                    .push(quote!(.timeout(::core::time::Duration::from_millis(#ms))));
            }
            "exposure" => {
                let which: Ident = value(key, input)?;
                let variant = match which.to_string().as_str() {
                    "direct" => quote!(Direct),
                    "deferred" => quote!(Deferred),
                    "hidden" => quote!(Hidden),
                    _ => {
                        let message = "an exposure is `direct`, `deferred` or `hidden`";
                        return Err(syn::Error::new(which.span(), message));
                    }
                };
                self.calls
                    .push(quote!(.exposure(__toolpost::Exposure::#variant)));
            }
            "effects" => {
                effects.of_input = Some(key.span());
                let of: Expr = value(key, input)?;
                self.calls.push(quote!(.effects(#of)));
            }
            "describe" | "footprint" | "subjects" | "check_permissions" | "failure_reach" => {
                let of: Expr = value(key, input)?;
                self.calls.push(quote!(.#key(#of)));
            }
            other => {
                let message = format!("`{other}` is no option of a tool; there are {KNOWN}");
                return Err(syn::Error::new(key.span(), message));
            }
        }
        Ok(())
    }

    /// The builder call for the effects, where any were named.
    pub(crate) fn effects(&self) -> TokenStream {
        let said = &self.effects;
        let flags = [
            said.read_only,
            said.destructive,
            said.idempotent,
            said.open_world,
            said.closed_world,
        ];
        if flags.iter().all(Option::is_none) {
            return TokenStream::new();
        }
        let read_only = said.read_only.is_some();
        let destructive = said.destructive.is_some();
        let idempotent = said.idempotent.is_some() || read_only;
        let open_world = said.open_world.is_some() || !(read_only || said.closed_world.is_some());
        quote!(.effects(|_| __toolpost::Effects {
            read_only: #read_only,
            destructive: #destructive,
            idempotent: #idempotent,
            open_world: #open_world,
        }))
    }
}

impl Effects {
    fn check(&self) -> syn::Result<()> {
        let clash = |span: Span, message: &str| Err(syn::Error::new(span, message));
        if let (Some(_), Some(span)) = (self.read_only, self.destructive) {
            return clash(
                span,
                "a tool that is `read_only` cannot be `destructive`; leave one out",
            );
        }
        if let (Some(_), Some(span)) = (self.open_world, self.closed_world) {
            return clash(
                span,
                "a tool is either `open_world` or `closed_world`; leave one out",
            );
        }
        let flags = [
            self.read_only,
            self.destructive,
            self.idempotent,
            self.open_world,
            self.closed_world,
        ];
        if let (Some(span), true) = (self.of_input, flags.iter().any(Option::is_some)) {
            return clash(
                span,
                "`effects` says it all; leave the single effects out, or `effects`",
            );
        }
        Ok(())
    }
}

fn value<T: Parse>(key: &Ident, input: ParseStream<'_>) -> syn::Result<T> {
    if !input.peek(Token![=]) {
        let message = format!("`{key}` needs a value: `{key} = …`");
        return Err(syn::Error::new(key.span(), message));
    }
    input.parse::<Token![=]>()?;
    input.parse()
}

fn is_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

/// The path that stands for toolpost in the generated code.
pub(crate) fn krate(options: &Options) -> Path {
    options.krate.clone().unwrap_or_else(|| {
        let span = options
            .krate
            .as_ref()
            .map_or_else(Span::call_site, Spanned::span);
        let name = Ident::new("toolpost", span);
        syn::parse_quote!(::#name)
    })
}
