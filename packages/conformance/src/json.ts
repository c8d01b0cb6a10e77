import type { Json } from '@headgate/core/provider'

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value, or an empty object if it is not an object. */
export function object(value: unknown): Json {
  return isObject(value) ? value : {}
}

/** Objects of a list. Empty for other values. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** Parsed JSON, or the string itself. */
export function parse(source: string): unknown {
  try {
    return JSON.parse(source) as unknown
  } catch {
    return source
  }
}

/** Object without undefined members. */
export function compact<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T
}
