import { isObject, type Json } from '../canonical/json.ts'

/** A body in which `system` says what `developer` said. */
export function systemRole(body: Json): Json {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(isDeveloper)) return body
  return {
    ...body,
    messages: messages.map((message) => (isDeveloper(message) ? { ...message, role: 'system' } : message)),
  }
}

function isDeveloper(message: unknown): message is Json {
  return isObject(message) && message['role'] === 'developer'
}
