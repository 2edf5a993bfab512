//! Options: one macro writes the struct, its defaults, its range checks and what the TypeScript generator reads, so that
//! none of the four can disagree.
//!
//! They arrive as *settings*, a line each: `path=value`. A value is `n` and the 16 hexadecimal digits of the bits of an
//! f64, `t`, `f`, `0` for null, `o` for an object without fields, or `s` and a text for anything else, which is refused by name. JSON was refused: its parser
//! and the numbers that it reads and writes weigh 40 KB of WebAssembly, more than a cloth.

use crate::error::{Error, Result};
use crate::number::Part;
use crate::{say, text};

/// One field of an option struct.
#[derive(Debug)]
pub struct Field {
    /// Name in Rust.
    pub name: &'static str,
    /// Smallest and largest value allowed, both included.
    pub range: Option<(f64, f64)>,
    /// Unit, or empty.
    pub unit: &'static str,
}

/// Where a field's value is kept.
pub enum Slot<'a> {
    /// A number.
    F32(&'a mut f32),
    /// A whole number.
    U32(&'a mut u32),
    /// A switch.
    Bool(&'a mut bool),
    /// A number or none.
    Optional(&'a mut Option<f32>),
    /// Options inside options.
    Nested(&'a mut dyn Options),
}

/// A struct of options.
pub trait Options {
    /// Name, the same in Rust and TypeScript.
    fn name(&self) -> &'static str;

    /// Its fields, in order.
    fn fields(&self) -> &'static [Field];

    /// The value of field `index`.
    fn slot(&mut self, index: usize) -> Slot<'_>;
}

/// What the generator needs besides: it is apart, so that no comment ends up in the WebAssembly.
pub trait Documented: Options + Default {
    /// Doc comment of the struct.
    const DOC: &str;

    /// Doc comments of the fields.
    const FIELD_DOCS: &[&str];

    /// Describes the structs of fields that are nested.
    fn nested() -> Vec<StructInfo>;
}

/// An option struct, as the generator reads it.
#[derive(Clone, Debug)]
pub struct StructInfo {
    /// Name, the same in Rust and TypeScript.
    pub name: &'static str,
    /// Doc comment of the struct.
    pub doc: &'static str,
    /// Its fields.
    pub fields: Vec<FieldInfo>,
}

/// A field of a [`StructInfo`].
#[derive(Clone, Debug)]
pub struct FieldInfo {
    /// Name in JavaScript, camelCase.
    pub name: String,
    /// Doc comment.
    pub doc: &'static str,
    /// Unit, or empty.
    pub unit: &'static str,
    /// Smallest and largest value allowed, both included.
    pub range: Option<(f64, f64)>,
    /// Its type.
    pub kind: FieldKind,
    /// Default as JSON; empty for nested options.
    pub default: String,
}

/// The type of a [`FieldInfo`].
#[derive(Clone, Debug)]
pub enum FieldKind {
    /// A type that TypeScript has.
    Plain(&'static str),
    /// Options inside options.
    Nested(StructInfo),
}

/// Describes `T` for the generator.
pub fn describe<T: Documented>() -> StructInfo {
    let mut defaults = T::default();
    let mut nested = T::nested().into_iter();
    let fields = defaults.fields().iter().zip(T::FIELD_DOCS).enumerate().map(|(i, (field, doc))| {
        let mut default = String::new();
        let kind = match defaults.slot(i) {
            Slot::F32(_) | Slot::U32(_) => FieldKind::Plain("number"),
            Slot::Bool(_) => FieldKind::Plain("boolean"),
            Slot::Optional(_) => FieldKind::Plain("number | null"),
            Slot::Nested(inner) => {
                nested.find(|info| info.name == inner.name()).map_or(FieldKind::Plain("unknown"), FieldKind::Nested)
            }
        };
        if !matches!(kind, FieldKind::Nested(_)) {
            write_slot(defaults.slot(i), &mut default);
        }
        FieldInfo { name: camel_case(field.name), doc, unit: field.unit, range: field.range, kind, default }
    });
    let fields = fields.collect();
    StructInfo { name: T::default().name(), doc: T::DOC, fields }
}

/// A value as it arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A number, finite or not.
    Number(f64),
    /// A switch.
    Bool(bool),
    /// Nothing.
    Null,
    /// An object without fields.
    Empty,
    /// Something that no option is.
    Other(&'a str),
}

impl<'a> Value<'a> {
    fn read(text: &'a str) -> Option<Self> {
        Some(match text.as_bytes().first()? {
            b'n' if text.len() == 17 => {
                let digit = |bits, byte| Some(bits << 4 | u64::from(char::from(byte).to_digit(16)?));
                Value::Number(f64::from_bits(text.bytes().skip(1).try_fold(0, digit)?))
            }
            b't' => Value::Bool(true),
            b'f' => Value::Bool(false),
            b'0' => Value::Null,
            b'o' => Value::Empty,
            b's' => Value::Other(text.get(1..)?),
            _ => return None,
        })
    }
}

/// What is before the first `mark` of a text, and what is behind it. (`split_once` brings a search of its own for each pattern.)
#[inline(never)]
pub fn cut(text: &str, mark: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == mark)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Calls `visit` with the path and value of every setting.
pub fn settings<'a>(text: &'a str, visit: &mut dyn FnMut(&'a str, Value<'a>) -> Result<()>) -> Result<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let (line, others) = cut(rest, b'\n').unwrap_or((rest, ""));
        rest = others;
        let setting = cut(line, b'=').and_then(|(path, value)| Some((path, Value::read(value)?)));
        let (path, value) = setting.ok_or_else(|| Error::option(text![line, " is no setting"]))?;
        visit(path, value)?;
    }
    Ok(())
}

/// Sets the field `rest` of `options`; `path` is its whole path, for the message.
pub fn set(options: &mut dyn Options, path: &str, rest: &str, value: Value) -> Result<()> {
    let (name, inner) = cut(rest, b'.').map_or((rest, None), |(name, inner)| (name, Some(inner)));
    let fields = options.fields();
    let Some(index) = fields.iter().position(|field| is_camel_case(name, field.name)) else {
        let mut message = text![path, " is no option of ", options.name(), "; known: "];
        for (i, field) in fields.iter().enumerate() {
            message += if i > 0 { ", " } else { "" };
            message += &camel_case(field.name);
        }
        return Err(Error::option(message));
    };
    let Field { range, unit, .. } = fields[index];
    let (low, high) = range.unwrap_or((f64::MIN, f64::MAX));
    // What the value is as a number, where one is right.
    let number = match value {
        Value::Number(n) if inner.is_none() && n >= low && n <= high => Some(n),
        _ => None,
    };
    let what = match options.slot(index) {
        Slot::Nested(nested) => match (inner, value) {
            (Some(inner), _) => return set(nested, path, inner, value),
            (None, Value::Empty) => return Ok(()),
            _ => "an object",
        },
        Slot::F32(slot) => {
            if let Some(n) = number {
                *slot = n as f32;
                return Ok(());
            }
            "a number"
        }
        Slot::U32(slot) => {
            if let Some(n) = number.filter(|n| *n == f64::from(*n as u32)) {
                *slot = n as u32;
                return Ok(());
            }
            "a whole number"
        }
        Slot::Optional(slot) => {
            if number.is_some() || (inner, value) == (None, Value::Null) {
                *slot = number.map(|n| n as f32);
                return Ok(());
            }
            "null or a number"
        }
        Slot::Bool(slot) => {
            if let (None, Value::Bool(b)) = (inner, value) {
                *slot = b;
                return Ok(());
            }
            "true or false"
        }
    };
    let mut message = text![path, " must be ", what];
    if range.is_some() {
        say![message, " from ", low, " to ", high];
    }
    if !unit.is_empty() {
        say![message, " (", unit, ")"];
    }
    message += ", got ";
    match value {
        Value::Number(n) => n.add_to(&mut message),
        Value::Bool(b) => message += boolean(b),
        Value::Null => message += "null",
        Value::Empty => message += "an object",
        Value::Other(text) => message += text,
    }
    Err(Error::option(message))
}

/// Sets the fields of `options` that `text` names. On an error some may have changed.
pub fn set_all(options: &mut dyn Options, text: &str) -> Result<()> {
    settings(text, &mut |path, value| set(options, path, path, value))
}

/// `options` as JSON.
pub fn write(options: &mut dyn Options, out: &mut String) {
    out.push('{');
    for (i, field) in options.fields().iter().enumerate() {
        out.push_str(if i > 0 { ",\"" } else { "\"" });
        out.push_str(&camel_case(field.name));
        out.push_str("\":");
        write_slot(options.slot(i), out);
    }
    out.push('}');
}

fn write_slot(slot: Slot, out: &mut String) {
    match slot {
        Slot::F32(n) => n.add_to(out),
        Slot::U32(n) => n.add_to(out),
        Slot::Bool(b) => out.push_str(boolean(*b)),
        Slot::Optional(Some(n)) => n.add_to(out),
        Slot::Optional(None) => out.push_str("null"),
        Slot::Nested(inner) => write(inner, out),
    }
}

fn boolean(b: bool) -> &'static str {
    if b { "true" } else { "false" }
}

/// `snake_case` as `camelCase`.
fn camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut upper = false;
    for c in name.bytes() {
        if c == b'_' {
            upper = true;
        } else {
            out.push(char::from(if upper { c.to_ascii_uppercase() } else { c }));
            upper = false;
        }
    }
    out
}

fn is_camel_case(camel: &str, snake: &str) -> bool {
    camel == camel_case(snake)
}

/// Writes an option struct from a table of fields: `/// doc`, `name: Type(Slot) = default, [range low..=high,] [unit "m"];`.
#[macro_export]
macro_rules! options {
    (
        $(#[doc = $struct_doc:literal])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $slot:ident($type:ty) = $default:expr
                $(, range $low:literal..=$high:literal)?
                $(, unit $unit:literal)?;
            )*
        }
    ) => {
        $(#[doc = $struct_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }

        impl $crate::options::Options for $name {
            fn name(&self) -> &'static str {
                stringify!($name)
            }

            fn fields(&self) -> &'static [$crate::options::Field] {
                const FIELDS: &[$crate::options::Field] = &[$({
                    #[allow(unused_mut, unused_assignments)]
                    let mut range = None;
                    $(range = Some(($low as f64, $high as f64));)?
                    $crate::options::Field { name: stringify!($field), range, unit: concat!($($unit)?) }
                }),*];
                FIELDS
            }

            fn slot(&mut self, index: usize) -> $crate::options::Slot<'_> {
                let mut before = index;
                $(if before == 0 {
                    return $crate::options::Slot::$slot(&mut self.$field);
                }
                before -= 1;)*
                panic!("there is no field {before} behind the last")
            }
        }

        impl $crate::options::Documented for $name {
            const DOC: &str = concat!($($struct_doc, "\n"),*);
            const FIELD_DOCS: &[&str] = &[$(concat!($($doc, "\n"),*)),*];

            fn nested() -> Vec<$crate::options::StructInfo> {
                [$($crate::nested!($slot($type))),*].into_iter().flatten().collect()
            }
        }
    };
}

/// Describes the type of a nested field, for [`options!`].
#[doc(hidden)]
#[macro_export]
macro_rules! nested {
    (Nested($type:ty)) => {
        Some($crate::options::describe::<$type>())
    };
    ($slot:ident($type:ty)) => {
        None
    };
}
