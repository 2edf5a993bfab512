//! A table of handles over Limber's simulations.
//!
//! Both JavaScript bindings expose exactly this, so that options, errors and behaviour are the same in the browser and
//! in Node. Nothing here knows what a simulation models: a technique is one row in [`kinds`].

mod backend;
mod calls;
pub mod kinds;
mod layout;
#[cfg(test)]
mod tests;

pub use backend::Backend;
pub use calls::Call;
pub use layout::Section;
pub use limber_core::error::{Code, Error, Result};
pub use limber_core::simulation::{Channel, Element};
