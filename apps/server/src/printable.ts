/** What a terminal obeys, or reorders text by, but for line feed and tab. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu

/**
 * Text that others gave, for a terminal: what it would obey is spelled as in JSON, so that a line of JSON stays the
 * same value.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped)
}

/** The same for a part of a line. */
export function printableInLine(text: string): string {
  return printable(text).replace(/[\n\t]/g, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
