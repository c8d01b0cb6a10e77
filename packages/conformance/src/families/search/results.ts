import type { VendorResult } from './facts.ts'

const DAY_MS = 86_400_000
const NEWEST = Date.UTC(2026, 0, 31, 12)
const HOSTS = ['www.example.com', 'docs.example.org', 'example.net', 'blog.example.com', 'example.org']

/** Result with unique text, date and image. `number` is its position in the list, from 1. */
export function resultOf(number: number, host = HOSTS[number % HOSTS.length] ?? 'example.com'): VendorResult {
  return {
    url: `https://${host}/guides/${number}`,
    title: `Guide ${number} to gateways`,
    text: `What guide ${number} says of gateways.`,
    date: new Date(NEWEST - number * 3 * DAY_MS).toISOString(),
    thumbnail: `https://pictures.example.com/${number}.png`,
  }
}

/** Results of a vendor, in order. */
export function resultsOf(count: number): VendorResult[] {
  return Array.from({ length: count }, (_, index) => resultOf(index + 1))
}
