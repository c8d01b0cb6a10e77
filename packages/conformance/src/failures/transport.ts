import type { Failure } from './failure.ts'

/** What goes wrong with any server, whatever it speaks. */
export const transportFailures: readonly Failure[] = [
  { name: 'a page of HTML with status 502', kind: 'upstream', reply: html(502) },
  { name: 'a page of HTML with status 200', kind: 'upstream', reply: html(200) },
  { name: '500 without a body', kind: 'upstream', reply: { kind: 'whole', status: 500, body: '' } },
  {
    name: '200 without a body',
    kind: 'upstream',
    reply: { kind: 'whole', body: '', headers: { 'content-type': 'application/json' } },
  },
  {
    name: 'JSON that is cut',
    kind: 'upstream',
    reply: { kind: 'whole', body: '{"id": "1", "choi', headers: { 'content-type': 'application/json' } },
  },
  { name: 'a connection that closes at once', kind: 'upstream', reply: { kind: 'reset' }, mayReconnect: true },
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
