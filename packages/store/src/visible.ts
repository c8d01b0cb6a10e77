/**
 * Invisible characters, and characters that reorder others: controls, line ends, bidirectional controls and
 * ignorable characters. Joiners and variation selectors are allowed, since words and emoji need them.
 * @see https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/u

/** True if a string is one line of visible characters. */
export function isVisible(text: string): boolean {
  return text.isWellFormed() && !HIDDEN.test(text)
}
