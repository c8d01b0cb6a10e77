import { isObject, type Json } from '../canonical/json.ts'

/** Copy of a body in which `developer` messages have the role `system`. */
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
