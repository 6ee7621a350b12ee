//! toolpost's own form: one call a line, and its outcome whole.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use toolpost_core::RawCall;

use super::{Answer, Message, Misshapen, arguments, parse_as};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call<'t> {
    id: String,
    name: String,
    #[serde(borrow)]
    arguments: Option<&'t RawValue>,
}

pub(super) fn read(text: &str, _number: u64, message: &mut Message) -> Result<(), Misshapen> {
    let form = r#"a call such as {"id":"c1","name":"Read","arguments":{…}}"#;
    let call: Call<'_> = parse_as(text, form)?;
    let id = call.id.clone();
    message.call(
        id,
        RawCall::new(call.id, call.name, arguments(call.arguments)),
    );
    Ok(())
}

pub(super) fn reply(answers: &[Answer<'_>]) -> Vec<Value> {
    let whole = |answer: &Answer<'_>| serde_json::to_value(answer.outcome).unwrap_or(Value::Null);
    answers.iter().map(whole).collect()
}
