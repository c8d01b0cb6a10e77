import { isObject, type Json, parse } from '../../chat/json.ts'

/** The object that a call's arguments are: no text is no arguments, and undefined what is no JSON object. */
export function toolInput(text: string): Json | undefined {
  if (text.trim() === '') return {}
  const value = parse(text)
  return isObject(value) ? value : undefined
}
