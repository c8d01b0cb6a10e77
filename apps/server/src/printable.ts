/** Control characters except line feed and tab, and characters that reorder text. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu

/** Untrusted text for a terminal: control characters are escaped as in JSON, so that a JSON line keeps its value. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped)
}

/** Untrusted text for a part of a line: like {@link printable}, with line feeds and tabs escaped too. */
export function printableInLine(text: string): string {
  return printable(text).replace(/[\n\t]/g, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
