import { LABELS } from '../../../labels.ts'

/** Options of a field whose empty value is the default of the model. */
export function choicesOf(values: readonly string[]): readonly { readonly value: string; readonly title: string }[] {
  return [{ value: '', title: LABELS.modelDefault }, ...values.map((value) => ({ value, title: value }))]
}
