//! The generated files.

use limber_api::kinds::KindInfo;
use limber_api::{Call, Element};
use limber_core::options::{FieldInfo, FieldKind, StructInfo};
use std::fmt::Write;

const HEAD: &str = "// Written by `npm run gen` from the Rust structs: change those.\n";

/// Characters in a line.
const WIDTH: usize = 120;

/// `options.ts`: an interface and the defaults of every option struct, nested ones first.
pub fn options(kinds: &[KindInfo]) -> String {
    let mut structs = Vec::new();
    for root in kinds.iter().flat_map(|kind| &kind.options) {
        collect(root, &mut structs);
    }
    let mut out = HEAD.to_string();
    for info in structs {
        out += &format!("\n{}export interface {} {{\n", doc(info.doc, ""), info.name);
        for field in &info.fields {
            let kind = match &field.kind {
                FieldKind::Plain(name) => name,
                FieldKind::Nested(info) => info.name,
            };
            out += &format!("{}  {}: {kind}\n", doc(&field_doc(field), "  "), field.name);
        }
        let name = info.name;
        out += &format!("}}\n\n/** The defaults of {{@link {name}}}. */\n");
        out += &format!("export const {}_DEFAULTS = {{\n", screaming(name));
        defaults(info, "  ", &mut out);
        out += &format!("}} as const satisfies {name}\n");
    }
    out
}

/// `channels.ts`: the numbers of every technique's channels and commands, and the type of each array.
pub fn channels(kinds: &[KindInfo]) -> String {
    let mut out = HEAD.to_string();
    for (number, KindInfo { name, channels, channel_docs, commands, .. }) in kinds.iter().enumerate() {
        out += &format!("\n/** The numbers by which the core knows `{name}`, its arrays and its commands. */\n");
        out += &format!("export const {} = {{\n  kind: {number},\n  channels: {{\n", screaming(name));
        for (channel, named) in channels.iter().zip(*channel_docs) {
            let element = match channel.element {
                Element::F32 => "f32",
                Element::U32 => "u32",
            };
            out += &format!("    {}: {{ id: {}, element: '{element}' }},\n", named.name, channel.id);
        }
        out += "  },\n  commands: {\n";
        for (op, command) in commands.iter().enumerate() {
            out += &format!("{}    {}: {op},\n", doc(command.text, "    "), command.name);
        }
        out += &format!("  }},\n}} as const\n\n/** The arrays that a `{name}` shares with JavaScript. */\n");
        out += &format!("export interface {name}Channels {{\n");
        for (channel, named) in channels.iter().zip(*channel_docs) {
            let array = match channel.element {
                Element::F32 => "Float32Array",
                Element::U32 => "Uint32Array",
            };
            let flow = if channel.input { "Input" } else { "Output" };
            out += &doc(&format!("{flow}: {}.", named.text), "  ");
            out += &format!("  {}: {array}<ArrayBuffer>\n", named.name);
        }
        out += "}\n";
    }
    out
}

/// `calls.ts`: the numbers of the calls that the WebAssembly takes.
pub fn calls() -> String {
    let mut out =
        format!("{HEAD}\n/** The calls of the core by number; `handle`, `a`, `b` and `c` cross beside it. */\n");
    out += "export const CALL = {\n";
    for (number, (name, text)) in Call::DOCS.iter().enumerate() {
        let (first, rest) = name.split_at(1);
        out += &format!("{}  {}{rest}: {number},\n", doc(text, "  "), first.to_lowercase());
    }
    out + "} as const\n"
}

/// `info` and the structs inside it, the innermost first, each once.
fn collect<'a>(info: &'a StructInfo, into: &mut Vec<&'a StructInfo>) {
    for field in &info.fields {
        if let FieldKind::Nested(inner) = &field.kind {
            collect(inner, into);
        }
    }
    if into.iter().all(|known| known.name != info.name) {
        into.push(info);
    }
}

fn defaults(info: &StructInfo, indent: &str, out: &mut String) {
    for field in &info.fields {
        match &field.kind {
            FieldKind::Plain(_) => *out += &format!("{indent}{}: {},\n", field.name, literal(&field.default)),
            FieldKind::Nested(inner) => {
                *out += &format!("{indent}{}: {{\n", field.name);
                defaults(inner, &format!("{indent}  "), out);
                *out += &format!("{indent}}},\n");
            }
        }
    }
}

/// JSON as TypeScript writes it by habit: `1`, not `1.0`.
fn literal(json: &str) -> &str {
    json.strip_suffix(".0").unwrap_or(json)
}

/// A field's doc comment with its unit, range and default as the last paragraph.
fn field_doc(field: &FieldInfo) -> String {
    let mut facts = Vec::new();
    if !field.unit.is_empty() {
        facts.push(format!("unit {}", field.unit));
    }
    if let Some((low, high)) = field.range {
        facts.push(format!("range {low} to {high}"));
    }
    if matches!(field.kind, FieldKind::Plain(_)) {
        facts.push(format!("default {}", literal(&field.default)));
    }
    let mut facts = facts.join(", ");
    if let Some(first) = facts.get_mut(..1) {
        first.make_ascii_uppercase();
        return format!("{}\n\n{facts}.", field.doc.trim_end());
    }
    field.doc.to_string()
}

/// `text` as a doc comment: its words filled into lines, its paragraphs kept.
fn doc(text: &str, indent: &str) -> String {
    let text = text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let mut lines = Vec::new();
    for paragraph in text.trim().split("\n\n") {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let length = indent.len() + " * ".len() + line.chars().count() + 1 + word.chars().count();
            if !line.is_empty() && length > WIDTH {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += word;
        }
        lines.push(line);
        lines.push(String::new());
    }
    lines.pop();
    if let [line] = &lines[..]
        && indent.len() + "/** ".len() + line.chars().count() + " */".len() <= WIDTH
    {
        return format!("{indent}/** {line} */\n");
    }
    let mut out = format!("{indent}/**\n");
    for line in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", format!("{indent} * {line}").trim_end());
    }
    out + indent + " */\n"
}

/// `ClothOptions` as `CLOTH_OPTIONS`.
fn screaming(name: &str) -> String {
    let mut out = String::new();
    for (place, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && place > 0 {
            out.push('_');
        }
        out.extend(letter.to_uppercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shouted_with_lines_between() {
        assert_eq!(screaming("JiggleBonesOptions"), "JIGGLE_BONES_OPTIONS");
    }

    #[test]
    fn comments_are_filled_and_keep_their_paragraphs() {
        assert_eq!(doc(" One\n line.\n", "  "), "  /** One line. */\n");
        assert_eq!(doc(" One.\n\n Two.\n", ""), "/**\n * One.\n *\n * Two.\n */\n");
        let long = doc(&"word ".repeat(60), "");
        assert!(long.lines().all(|line| line.len() <= WIDTH), "{long}");
    }

    #[test]
    fn a_field_says_unit_range_and_default() {
        let field = FieldInfo {
            name: "drag".into(),
            doc: " Slows.\n",
            unit: "1/s",
            range: Some((0.0, 10.0)),
            kind: FieldKind::Plain("number"),
            default: "0.08".into(),
        };
        assert_eq!(field_doc(&field), " Slows.\n\nUnit 1/s, range 0 to 10, default 0.08.");
    }
}
