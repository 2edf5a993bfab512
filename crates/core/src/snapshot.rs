//! Snapshots: a technique names what it keeps once, in one order, and that is written as bytes and read back.

use crate::collider::Collider;
use crate::error::{Code, Error, Result};
use crate::text;
use bytemuck::{Pod, bytes_of_mut, cast_slice, cast_slice_mut};
use xxhash_rust::xxh64::xxh64;

// Numbers are written as they lie in memory, and a state is hashed so: the same bytes everywhere.
const _: () = assert!(cfg!(target_endian = "little"));

/// What can be saved and put back.
pub trait Kept {
    /// The first bytes of its snapshots, what they are and which layout; and what they are of, for the message.
    fn label(&self) -> (&'static [u8; 8], &'static str);

    /// Adds the numbers that are the same for all that can exchange snapshots. What is kept must be as long for them.
    fn make(&self, words: &mut Vec<u32>);

    /// Hands all that is kept to the tape.
    fn keep(&mut self, tape: &mut Tape);

    /// Whether what has been read can be simulated.
    fn is_sound(&mut self) -> bool;

    /// Works out anew what follows from what has been read.
    fn restored(&mut self);
}

/// Where what is kept is written, or read from.
pub struct Tape<'a> {
    written: Vec<u8>,
    /// What is still to be read.
    read: Option<&'a [u8]>,
    /// What has been read is possible.
    sound: bool,
}

impl Tape<'_> {
    /// Hands over numbers.
    #[inline(always)]
    pub fn all<T: Pod>(&mut self, numbers: &mut [T]) {
        self.bytes(cast_slice_mut(numbers));
    }

    /// Hands over a number.
    #[inline(always)]
    pub fn one<T: Pod>(&mut self, number: &mut T) {
        self.bytes(bytes_of_mut(number));
    }

    /// Hands over whether something is so.
    pub fn flag(&mut self, flag: &mut bool) {
        let mut word = u32::from(*flag);
        self.one(&mut word);
        *flag = word != 0;
    }

    /// Hands over where colliders are.
    pub fn poses(&mut self, colliders: &mut [Collider]) {
        colliders.iter_mut().for_each(|collider| self.all(&mut collider.pose));
    }

    /// Says that something which has been read is not possible.
    pub fn refuse(&mut self) {
        self.sound = false;
    }

    #[inline(never)]
    fn bytes(&mut self, memory: &mut [u8]) {
        match &mut self.read {
            Some(rest) => {
                let (head, tail) = rest.split_at(memory.len());
                memory.copy_from_slice(head);
                *rest = tail;
            }
            None => self.written.extend_from_slice(memory),
        }
    }
}

/// The exact state as bytes: label, make, and all that is kept.
pub fn save(of: &mut dyn Kept) -> Vec<u8> {
    let mut make = Vec::new();
    of.make(&mut make);
    let mut tape = Tape { written: of.label().0.to_vec(), read: None, sound: true };
    tape.one(&mut hash(&make));
    of.keep(&mut tape);
    tape.written
}

/// Takes a state that [`save`] gave. On an error nothing has changed.
pub fn restore(of: &mut dyn Kept, bytes: &[u8]) -> Result<()> {
    // Of another make the first bytes differ, after the label.
    const HEAD: usize = 16;
    let now = save(of);
    if bytes.len() == now.len() && bytes[..HEAD] == now[..HEAD] {
        if read(of, &bytes[HEAD..]) {
            of.restored();
            return Ok(());
        }
        read(of, &now[HEAD..]);
    }
    Err(Error::new(Code::InvalidSnapshot, text!["the bytes are not a snapshot of ", of.label().1]))
}

fn read(of: &mut dyn Kept, bytes: &[u8]) -> bool {
    let mut tape = Tape { written: Vec::new(), read: Some(bytes), sound: true };
    of.keep(&mut tape);
    tape.sound && of.is_sound()
}

/// A digest of numbers, equal on every platform.
pub fn hash<T: Pod>(numbers: &[T]) -> u64 {
    xxh64(cast_slice(numbers), 0)
}
