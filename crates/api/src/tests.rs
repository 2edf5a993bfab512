//! The table of handles and the block of bytes, with a simulation small enough to see through.

use crate::backend::Live;
use crate::{Backend, Code, Element, Section};
use limber_core::clock::Clock;
use limber_core::error::{Error, Result};
use limber_core::simulation::{Channel, ChannelInfo, Simulation};
use limber_core::snapshot::{Kept, Tape};

/// Counts its steps by what its input says.
struct Counter {
    clock: Clock,
    total: [f32; 3],
    increment: [f32; 1],
    label: [u32; 2],
}

const CHANNELS: &[ChannelInfo] = &[
    ChannelInfo { id: 0, element: Element::F32, input: false },
    ChannelInfo { id: 1, element: Element::F32, input: true },
    ChannelInfo { id: 2, element: Element::U32, input: false },
];

impl Kept for Counter {
    fn label(&self) -> (&'static [u8; 8], &'static str) {
        (b"counter1", "a counter")
    }
    fn make(&self, _: &mut Vec<u32>) {}
    fn keep(&mut self, tape: &mut Tape) {
        self.clock.keep(tape);
        tape.all(&mut self.total);
    }
    fn is_sound(&mut self) -> bool {
        self.clock.is_sound()
    }
    fn restored(&mut self) {}
}

impl Simulation for Counter {
    fn options(&self) -> String {
        "{}".into()
    }
    fn configure(&mut self, _: &str) -> Result<()> {
        Err(Error::option("size is no option"))
    }
    fn report(&self) -> String {
        "{}".into()
    }
    fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }
    fn read_inputs(&mut self) -> Result<()> {
        if self.increment[0] < 0.0 { Err(Error::input("it counts up")) } else { Ok(()) }
    }
    fn start(&mut self, _: Option<f64>) -> Result<()> {
        Ok(())
    }
    fn fixed_step(&mut self) {
        self.clock.advance();
        self.total[0] += self.increment[0];
    }
    fn finish(&mut self) {
        self.total[1] += 1.0;
    }
    fn channels(&self) -> &'static [ChannelInfo] {
        CHANNELS
    }
    fn channel(&mut self, id: u32) -> Option<Channel<'_>> {
        match id {
            0 => Some(Channel::F32(&mut self.total)),
            1 => Some(Channel::F32(&mut self.increment)),
            2 => Some(Channel::U32(&mut self.label)),
            _ => None,
        }
    }
    fn command(&mut self, _: u32, payload: &[f32]) -> Result<Vec<f32>> {
        Ok(payload.to_vec())
    }
    fn reset(&mut self) {
        self.total = [0.0; 3];
    }
    fn teleport(&mut self, matrix: &[f32; 16]) -> Result<()> {
        self.total[2] = matrix[15];
        Ok(())
    }
    fn hash(&self) -> u64 {
        0xbeef
    }
}

fn insert(backend: &mut Backend) -> u32 {
    let counter = Counter { clock: Clock::new(1.0, 3), total: [0.0; 3], increment: [2.0], label: [7, 8] };
    backend.insert(Live { simulation: Box::new(counter), fixed: &[2] }).expect("there is room")
}

fn code<T>(result: Result<T>) -> Option<Code> {
    result.err().map(|error| error.code)
}

#[test]
fn a_handle_is_never_zero_and_names_one_simulation() {
    let mut backend = Backend::new();
    let handles = [insert(&mut backend), insert(&mut backend)];
    assert_eq!(handles, [0x1_0000, 0x1_0001]);
    backend.advance(handles[0], 1.0).unwrap();
    assert_eq!(handles.map(|handle| backend.time(handle).unwrap()), [1.0, 0.0]);
    assert_eq!(code(backend.time(0)), Some(Code::InvalidHandle));
    assert_eq!(code(backend.time(0x1_0002)), Some(Code::InvalidHandle));
}

#[test]
fn a_stale_handle_is_never_anothers() {
    let mut backend = Backend::new();
    let old = insert(&mut backend);
    backend.destroy(old).unwrap();
    assert_eq!(code(backend.advance_one(old)), Some(Code::InvalidHandle), "while the slot is empty");
    let new = insert(&mut backend);
    assert_eq!(new, 0x2_0000, "the same slot, a new generation");
    assert_eq!(code(backend.advance_one(old)), Some(Code::InvalidHandle), "once the slot is used again");
    assert_eq!(code(backend.destroy(old)), Some(Code::InvalidHandle), "destroying twice frees nothing of another's");
    assert_eq!(backend.advance_one(new), Ok(1));
}

#[test]
fn the_slot_that_is_longest_empty_is_used_first() {
    let mut backend = Backend::new();
    let handles = [insert(&mut backend), insert(&mut backend), insert(&mut backend)];
    for place in [1, 0, 2] {
        backend.destroy(handles[place]).unwrap();
    }
    let again = [insert(&mut backend), insert(&mut backend), insert(&mut backend), insert(&mut backend)];
    assert_eq!(again, [0x2_0001, 0x2_0000, 0x2_0002, 0x1_0003]);
}

#[test]
fn a_slot_whose_generations_are_used_up_stays_empty() {
    let mut backend = Backend::new();
    let first = insert(&mut backend);
    backend.destroy(first).unwrap();
    let mut last = first;
    for _ in 0..u16::MAX - 1 {
        last = insert(&mut backend);
        assert_eq!(last as u16, 0);
        backend.destroy(last).unwrap();
    }
    assert_eq!(last, 0xffff_0000);
    assert_eq!(insert(&mut backend), 0x1_0001, "the next slot");
    for stale in [first, last] {
        assert_eq!(code(backend.advance_one(stale)), Some(Code::InvalidHandle));
    }
}

#[test]
fn a_full_table_refuses() {
    let mut backend = Backend::new();
    for _ in 0..=u16::MAX {
        insert(&mut backend);
    }
    let counter = Counter { clock: Clock::new(1.0, 3), total: [0.0; 3], increment: [0.0], label: [0, 0] };
    let result = backend.insert(Live { simulation: Box::new(counter), fixed: &[] });
    assert_eq!(code(result), Some(Code::OutOfMemory));
    backend.destroy(0x1_0005).unwrap();
    assert_eq!(insert(&mut backend), 0x2_0005);
}

#[test]
fn advance_is_begin_steps_and_finish() {
    let mut backend = Backend::new();
    let (whole, parts) = (insert(&mut backend), insert(&mut backend));
    assert_eq!(backend.advance(whole, 3.0), Ok(3));
    for _ in 0..backend.begin(parts, 3.0).unwrap() {
        backend.fixed_step(parts).unwrap();
    }
    backend.finish(parts).unwrap();
    let mut block = [[0; 64]; 2];
    backend.pull(whole, &mut block[0]).unwrap();
    backend.pull(parts, &mut block[1]).unwrap();
    assert_eq!(block[0], block[1]);
}

#[test]
fn faults_keep_their_code_and_message() {
    let mut backend = Backend::new();
    let handle = insert(&mut backend);
    assert_eq!(backend.configure(handle, "{}").unwrap_err().to_string(), "invalid-option: size is no option");
    assert_eq!(
        backend.restore(handle, &[]).unwrap_err().to_string(),
        "invalid-snapshot: the bytes are not a snapshot of a counter"
    );
    assert_eq!(backend.channel(handle, 3).unwrap_err().to_string(), "invalid-input: there is no channel 3");
    let short = backend.teleport(handle, &[0.0; 15]).unwrap_err();
    assert_eq!(short.to_string(), "invalid-input: a matrix has 16 numbers, got 15");
    assert_eq!(backend.destroy(5).unwrap_err().to_string(), "invalid-handle: this simulation was disposed");
    assert_eq!(code(backend.create(99, "{}", &[], &[])), Some(Code::InvalidInput));
    assert_eq!(code(backend.check(99, "{}")), Some(Code::InvalidInput));
}

#[test]
fn a_hash_is_sixteen_digits() {
    let mut backend = Backend::new();
    let handle = insert(&mut backend);
    assert_eq!(backend.hash(handle).as_deref(), Ok("000000000000beef"));
}

#[test]
fn a_block_holds_every_channel() {
    let mut backend = Backend::new();
    let handle = insert(&mut backend);
    let layout = backend.layout(handle).unwrap();
    let section = |id, element, input, byte_offset, length| Section { id, element, input, byte_offset, length };
    let expected = [
        section(0, Element::F32, false, 0, 3),
        section(1, Element::F32, true, 16, 1),
        section(2, Element::U32, false, 32, 2),
    ];
    assert_eq!(layout, expected);

    let mut block = [0; 40];
    backend.pull(handle, &mut block).unwrap();
    assert_eq!(block[16..20], 2f32.to_le_bytes());
    assert_eq!(block[32..40], [7, 0, 0, 0, 8, 0, 0, 0]);

    block[16..20].copy_from_slice(&5f32.to_le_bytes());
    block[32] = 99;
    backend.push(handle, &block).unwrap();
    backend.advance_one(handle).unwrap();
    backend.pull_step(handle, &mut block).unwrap();
    assert_eq!(block[..4], 5f32.to_le_bytes(), "the step read the input");
    assert_eq!(block[32], 99, "a step neither writes nor hands out what is fixed");
}

#[test]
fn a_short_block_is_refused() {
    let mut backend = Backend::new();
    let handle = insert(&mut backend);
    let error = backend.pull(handle, &mut [0; 39]).unwrap_err();
    assert_eq!(error.to_string(), "invalid-input: the block ends at byte 39, channel 2 at byte 40");
    assert_eq!(code(backend.push(handle, &[0; 19])), Some(Code::InvalidInput));
}
