/**
 * Characters that a reader does not see, or that change the order in which others appear: controls, line ends, controls
 * of direction and ignorable ones. Joiners and variation selectors stay, since words and emoji are written with them.
 * @see https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/u

/** Whether a text is one line whose characters all show. */
export function isVisible(text: string): boolean {
  return text.isWellFormed() && !HIDDEN.test(text)
}
