//! The techniques, by the number that JavaScript calls them.

use limber_core::error::{Error, Result};
use limber_core::options::StructInfo;
use limber_core::simulation::{ChannelInfo, Doc, Simulation};
use limber_core::text;

/// Makes a simulation of settings and two arrays whose meaning is the technique's own.
type Create = fn(&str, &[f32], &[u32]) -> Result<Box<dyn Simulation>>;

/// What the table of handles needs of a technique.
pub(crate) struct Kind {
    /// Checks creation options without allocating for them.
    pub check: fn(&str) -> Result<()>,
    /// Makes one.
    pub create: Create,
    /// Output channels that only creation and commands write, so that a step need not hand them out again.
    pub fixed: &'static [u32],
}

/// What the TypeScript generator needs of a technique.
pub struct KindInfo {
    /// The class's name, the same in Rust and TypeScript.
    pub name: &'static str,
    /// Its option structs.
    pub options: Vec<StructInfo>,
    /// Its arrays, by id.
    pub channels: &'static [ChannelInfo],
    /// What they are called and hold.
    pub channel_docs: &'static [Doc],
    /// Its own operations, by number.
    pub commands: &'static [Doc],
}

/// Writes both tables from one row a technique. They are two so that descriptions do not end up in the WebAssembly.
macro_rules! kinds {
    ($($module:ident::$name:ident { fixed: [$($fixed:ident),*] })*) => {
        const KINDS: &[Kind] = &[$(Kind {
            check: limber_core::$module::$name::check,
            create: |settings, reals, indices| {
                Ok(Box::new(limber_core::$module::$name::create(settings, reals, indices)?))
            },
            fixed: &[$(limber_core::$module::channels::$fixed),*],
        }),*];

        /// All techniques; the place of one is its number.
        pub fn describe() -> Vec<KindInfo> {
            vec![$(KindInfo {
                name: stringify!($name),
                options: limber_core::$module::describe(),
                channels: limber_core::$module::channels::CHANNELS,
                channel_docs: limber_core::$module::channels::CHANNEL_DOCS,
                commands: limber_core::$module::channels::COMMAND_DOCS,
            }),*]
        }
    };
}

kinds! {
    cloth::Cloth { fixed: [LINKS, PIN_VERTICES] }
    jiggle_bones::JiggleBones { fixed: [SLOTS, ROOTS] }
    ragdoll::Ragdoll { fixed: [LINKS] }
    boids::Boids { fixed: [IDS, SPECIES] }
}

/// The technique of number `kind`.
pub(crate) fn kind(kind: u32) -> Result<&'static Kind> {
    KINDS.get(kind as usize).ok_or_else(|| Error::input(text!["no technique has the number ", kind]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_places() {
        for kind in describe() {
            let ids = kind.channels.iter().map(|channel| channel.id);
            assert!(ids.eq(0..kind.channels.len() as u32), "channels of {}", kind.name);
            assert_eq!(kind.channels.len(), kind.channel_docs.len(), "channels of {}", kind.name);
        }
    }

    #[test]
    fn what_is_fixed_is_no_input() {
        for (kind, info) in KINDS.iter().zip(describe()) {
            assert!(kind.fixed.iter().all(|id| !info.channels[*id as usize].input), "{}", info.name);
        }
    }

    #[test]
    fn an_unknown_number_is_refused() {
        assert!(kind(0).is_ok());
        let error = kind(99).err().expect("there are not a hundred techniques");
        assert_eq!(error.to_string(), "invalid-input: no technique has the number 99");
    }
}
