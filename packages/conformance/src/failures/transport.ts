import type { Failure } from './failure.ts'

/** Failures that are independent of the format. */
export const transportFailures: readonly Failure[] = [
  { name: 'an HTML page with status 502', kind: 'upstream', reply: html(502) },
  { name: 'an HTML page with status 200', kind: 'upstream', reply: html(200) },
  { name: '500 without a body', kind: 'upstream', reply: { kind: 'whole', status: 500, body: '' } },
  {
    name: '200 without a body',
    kind: 'upstream',
    reply: { kind: 'whole', body: '', headers: { 'content-type': 'application/json' } },
  },
  {
    name: 'truncated JSON',
    kind: 'upstream',
    reply: { kind: 'whole', body: '{"id": "1", "choi', headers: { 'content-type': 'application/json' } },
  },
  { name: 'a connection that closes immediately', kind: 'upstream', reply: { kind: 'reset' }, mayReconnect: true },
  {
    name: 'a connection that breaks before the last byte',
    kind: 'upstream',
    reply: { kind: 'whole', body: { broken: 'off' }, cut: true },
  },
]

function html(status: number): Failure['reply'] {
  return {
    kind: 'whole',
    status,
    headers: { 'content-type': 'text/html' },
    body: '<html><body>Bad gateway</body></html>',
  }
}
