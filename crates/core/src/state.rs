//! Typed state: what a tool needs from its host, found by type.
//!
//! A tool reads no global and no environment variable; a database, a client or a record of what
//! was read comes from here. What a tool needs is checked when a session is made, so a missing
//! piece of state is found before the first call.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::sync::Arc;

/// A map from a type to the one shared value of it.
#[derive(Clone, Default)]
pub struct State {
    values: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
}

impl State {
    /// An empty state.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a value in; an earlier one of the same type is replaced.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.insert_shared(Arc::new(value));
    }

    /// Puts a value in that is already shared.
    pub fn insert_shared<T: Send + Sync + 'static>(&mut self, value: Arc<T>) {
        self.values.insert(TypeId::of::<T>(), value);
    }

    /// The value of type `T`, where there is one.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.values.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// The first thing in `needs` that is not here, by the name of its type.
    pub fn missing(&self, needs: &Needs) -> Option<&'static str> {
        needs
            .0
            .iter()
            .find(|(id, _)| !self.values.contains_key(id))
            .map(|(_, name)| *name)
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "State({} values)", self.values.len())
    }
}

/// The types of state that a tool cannot work without.
#[derive(Debug, Clone, Default)]
pub struct Needs(Vec<(TypeId, &'static str)>);

impl Needs {
    /// Needs nothing.
    pub const fn nothing() -> Self {
        Self(Vec::new())
    }

    /// The same, and a value of type `T`.
    #[must_use]
    pub fn and<T: Send + Sync + 'static>(mut self) -> Self {
        self.0.push((TypeId::of::<T>(), type_name::<T>()));
        self
    }
}
