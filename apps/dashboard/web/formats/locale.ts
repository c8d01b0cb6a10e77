/** The languages of the reader, the first of which that is known counts. */
export const LOCALES: readonly string[] = navigator.languages
