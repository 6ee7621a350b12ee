//! stub
#![allow(missing_docs)]
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{marker::PhantomData, sync::Arc};
pub struct Contract<I> {
    s: Arc<Value>,
    _p: PhantomData<fn() -> I>,
}
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct ContractError(String);
impl<I: JsonSchema> Contract<I> {
    pub fn of_type() -> Result<Self, ContractError> {
        Ok(Self { s: Arc::new(schemars::schema_for!(I).to_value()), _p: PhantomData })
    }
}
impl<I: DeserializeOwned> Contract<I> {
    pub fn from_schema(s: Value) -> Result<Self, ContractError> {
        Ok(Self { s: Arc::new(s), _p: PhantomData })
    }
    pub fn schema(&self) -> &Arc<Value> {
        &self.s
    }
    pub fn read(&self, t: &str, _: &ReadOptions) -> Result<Reading<I>, Refusal> {
        serde_json::from_str(t)
            .map(|input| Reading { input, repairs: vec![], text: None })
            .map_err(|e| Refusal::InvalidInput(vec![Problem::new("", e.to_string())]))
    }
}
#[derive(Debug, Clone, Default)]
pub struct Limits {}
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    pub repair: bool,
    pub limits: Limits,
}
pub struct Reading<I> {
    pub input: I,
    pub repairs: Vec<Repair>,
    pub text: Option<String>,
}
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repair {
    pub pointer: String,
    pub from: String,
    pub to: Value,
}
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    pub pointer: String,
    pub message: String,
}
impl Problem {
    pub fn new(p: impl Into<String>, m: impl Into<String>) -> Self {
        Self { pointer: p.into(), message: m.into() }
    }
}
#[derive(Debug, Clone)]
pub enum Refusal {
    InvalidJson(Problem),
    InvalidInput(Vec<Problem>),
    Drift(Problem),
}
impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
#[derive(Clone)]
pub struct OutputContract {
    s: Arc<Value>,
}
impl OutputContract {
    pub fn of_type<O: JsonSchema>() -> Result<Self, ContractError> {
        Ok(Self { s: Arc::new(schemars::schema_for!(O).to_value()) })
    }
    pub fn from_schema(s: Value) -> Result<Self, ContractError> {
        Ok(Self { s: Arc::new(s) })
    }
    pub fn schema(&self) -> &Arc<Value> {
        &self.s
    }
    pub fn check(&self, _: &Value) -> Result<(), Vec<Problem>> {
        Ok(())
    }
}
pub fn nearest<'a>(_: &str, mut n: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    n.next()
}
