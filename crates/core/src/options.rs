//! Options: one macro writes the struct, its defaults, its range checks and what the TypeScript generator reads, so that
//! none of the four can disagree.

use crate::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One field of an option struct, as the generator and the error messages see it.
#[derive(Clone, Debug)]
pub struct FieldInfo {
    /// Name in JavaScript, camelCase.
    pub name: String,
    /// Doc comment of the Rust field.
    pub doc: String,
    /// Unit, or empty.
    pub unit: &'static str,
    /// Smallest and largest value allowed, both included, or `None` where there is no order.
    pub range: Option<(f64, f64)>,
    /// Type in TypeScript, or the fields of a nested struct.
    pub kind: FieldKind,
    /// Default as JSON.
    pub default: String,
}

/// The type of a [`FieldInfo`].
#[derive(Clone, Debug)]
pub enum FieldKind {
    /// A type that TypeScript has.
    Plain(&'static str),
    /// A struct of options of its own.
    Nested(StructInfo),
}

/// One option struct.
#[derive(Clone, Debug)]
pub struct StructInfo {
    /// Name, the same in Rust and TypeScript.
    pub name: &'static str,
    /// Doc comment of the Rust struct.
    pub doc: String,
    /// Its fields.
    pub fields: Vec<FieldInfo>,
}

/// A struct of options: defaults, a partial update with checks, a description.
pub trait Options: Default + Clone + Serialize {
    /// Takes over the fields named in `value`; the message of an error starts with `path`.
    fn apply(&mut self, value: &Value, path: &str) -> Result<()>;

    /// What the generator writes.
    fn describe() -> StructInfo;

    /// `self` with the fields named in `json` (an object, possibly partial).
    fn with(&self, json: &str) -> Result<Self> {
        let value = serde_json::from_str(json).map_err(|e| Error::option(format!("options are not JSON: {e}")))?;
        let mut next = self.clone();
        next.apply(&value, "")?;
        Ok(next)
    }
}

/// A value that a field may hold.
pub trait OptionValue: Sized {
    /// Takes over `value`, checked against `range`.
    fn set(&mut self, value: &Value, path: &str, range: Option<(f64, f64)>, unit: &str) -> Result<()>;

    /// Its type for TypeScript.
    fn kind() -> FieldKind;
}

/// What a value should have been, in words.
fn expected(what: &str, range: Option<(f64, f64)>, unit: &str) -> String {
    let mut text = what.to_string();
    if let Some((low, high)) = range {
        text += &format!(" from {low} to {high}");
    }
    if !unit.is_empty() {
        text += &format!(" ({unit})");
    }
    text
}

fn leaf<T: DeserializeOwned>(
    what: &str,
    value: &Value,
    path: &str,
    range: Option<(f64, f64)>,
    unit: &str,
    numbers: impl Fn(&T) -> Vec<f64>,
) -> Result<T> {
    let refuse = || Error::option(format!("{path} must be {}, got {}", expected(what, range, unit), shown(value)));
    let parsed: T = serde_json::from_value(value.clone()).map_err(|_| refuse())?;
    let (low, high) = range.unwrap_or((f64::MIN, f64::MAX));
    // Written so that NaN is refused.
    if numbers(&parsed).iter().all(|n| *n >= low && *n <= high) { Ok(parsed) } else { Err(refuse()) }
}

/// Numbers that JSON cannot hold arrive as the strings `"NaN"`, `"Infinity"` and `"-Infinity"`; show them bare.
fn shown(value: &Value) -> String {
    match value {
        Value::String(s) if matches!(s.as_str(), "NaN" | "Infinity" | "-Infinity") => s.clone(),
        other => other.to_string(),
    }
}

macro_rules! leaf_value {
    ($type:ty, $what:literal, $ts:literal, $numbers:expr) => {
        impl OptionValue for $type {
            fn set(&mut self, value: &Value, path: &str, range: Option<(f64, f64)>, unit: &str) -> Result<()> {
                *self = leaf($what, value, path, range, unit, $numbers)?;
                Ok(())
            }

            fn kind() -> FieldKind {
                FieldKind::Plain($ts)
            }
        }
    };
}

leaf_value!(f32, "a number", "number", |n: &f32| vec![f64::from(*n)]);
leaf_value!(u32, "a whole number", "number", |n: &u32| vec![f64::from(*n)]);
leaf_value!(bool, "true or false", "boolean", |_: &bool| vec![]);
leaf_value!(Option<f32>, "null or a number", "number | null", |n: &Option<f32>| n.map(f64::from).into_iter().collect());

impl<T: Options> OptionValue for T {
    fn set(&mut self, value: &Value, path: &str, _: Option<(f64, f64)>, _: &str) -> Result<()> {
        self.apply(value, path)
    }

    fn kind() -> FieldKind {
        FieldKind::Nested(T::describe())
    }
}

/// `snake_case` to `camelCase`, as serde's `rename_all` does it.
pub fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else if upper {
            out.extend(c.to_uppercase());
            upper = false;
        } else {
            out.push(c);
        }
    }
    out
}

/// The object inside `value`, or an error that names `path`.
pub fn object<'a>(value: &'a Value, path: &str) -> Result<&'a serde_json::Map<String, Value>> {
    let name = if path.is_empty() { "options" } else { path };
    value.as_object().ok_or_else(|| Error::option(format!("{name} must be an object, got {}", shown(value))))
}

/// Writes an option struct from a table of fields: `/// doc`, `name: Type = default, [range low..=high,] [unit "m"];`.
#[macro_export]
macro_rules! options {
    (
        $(#[doc = $struct_doc:literal])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $type:ty = $default:expr
                $(, range $low:literal..=$high:literal)?
                $(, unit $unit:literal)?;
            )*
        }
    ) => {
        $(#[doc = $struct_doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
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
            fn apply(&mut self, value: &serde_json::Value, path: &str) -> $crate::error::Result<()> {
                for (key, value) in $crate::options::object(value, path)? {
                    let full = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    $(
                        if *key == $crate::options::camel_case(stringify!($field)) {
                            #[allow(unused_mut, unused_assignments)]
                            let mut range = None;
                            $(range = Some(($low as f64, $high as f64));)?
                            $crate::options::OptionValue::set(&mut self.$field, value, &full, range, concat!($($unit)?))?;
                            continue;
                        }
                    )*
                    let known = [$($crate::options::camel_case(stringify!($field))),*].join(", ");
                    return Err($crate::error::Error::option(format!("{full} is no option of {}; known: {known}", stringify!($name))));
                }
                Ok(())
            }

            fn describe() -> $crate::options::StructInfo {
                let defaults = Self::default();
                $crate::options::StructInfo {
                    name: stringify!($name),
                    doc: concat!($($struct_doc, "\n"),*).to_string(),
                    fields: vec![$({
                        #[allow(unused_mut, unused_assignments)]
                        let mut range = None;
                        $(range = Some(($low as f64, $high as f64));)?
                        $crate::options::FieldInfo {
                            name: $crate::options::camel_case(stringify!($field)),
                            doc: concat!($($doc, "\n"),*).to_string(),
                            unit: concat!($($unit)?),
                            range,
                            kind: <$type as $crate::options::OptionValue>::kind(),
                            default: serde_json::to_string(&defaults.$field).unwrap_or_default(),
                        }
                    }),*],
                }
            }
        }
    };
}
