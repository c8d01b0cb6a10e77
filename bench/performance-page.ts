import type { Facts, Figure } from './report.ts'

const FLOOR = 'floor'
const HEADGATE = 'headgate'
const PORTKEY = 'portkey'

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const milliseconds = (microseconds: number): string => (microseconds / 1000).toFixed(2)

/** Requests that one core can serve per second. */
function perSecond(figure: Figure | undefined): string {
  return figure ? whole(Math.floor(10_000 / Math.round(figure.cpu)) * 100) : ''
}

/** Page `docs/performance.md`: the cost of a request with Headgate and with alternatives. */
export function performancePage(
  figures: readonly Figure[],
  { firstTexts, streams, notes }: Facts,
  measured: string,
): string {
  const names = [...new Set(figures.map(({ scenario }) => scenario))]
  const of = (scenario: string, target: string) =>
    figures.find((one) => one.scenario === scenario && one.target === target)
  const hasPeer = figures.some(({ target }) => target === PORTKEY)
  const peer = (cell: string) => (hasPeer ? ` ${cell} |` : '')
  const rows = names.map((name) => {
    const [bare, own, other] = [of(name, FLOOR), of(name, HEADGATE), of(name, PORTKEY)]
    return `| ${name} | ${own ? whole(own.cpu) : ''} | ${perSecond(own)} | ${bare ? whole(bare.cpu) : ''} |${peer(other ? whole(other.cpu) : '')}`
  })
  const largest = Math.max(...figures.filter(({ target }) => target === HEADGATE).map(({ memory }) => memory))
  const others = figures.filter(({ target }) => target === PORTKEY).map(({ memory }) => memory)
  const slowest = Math.max(...firstTexts.map(({ headgate }) => headgate))
  const added = Math.max(...firstTexts.map((one) => one.added))

  return `# Performance

<!-- Written by \`pnpm bench\`. Do not edit by hand. -->

This page has the measured CPU time, latency and memory of a gateway between caller and provider. With Headgate in
between, the first text of a stream arrives at most ${milliseconds(slowest)} ms after the request, with an upstream on the same machine. In
this time a request is authenticated, routed, translated if the formats differ, metered, written to the usage journal,
and logged. To measure on your machine:

\`\`\`sh
pnpm bench
\`\`\`

The figures below were measured on ${measured}.

## CPU time

Microseconds of CPU time per request, of all threads of the process, and the number of requests per second that one core
can serve. A *forwarding server* is a minimal server that forwards the request and the response; in translated streams
it also reads and writes each event.${hasPeer ? " *Portkey* is Portkey's gateway from npm, without configuration." : ''} In a *bypass* the provider uses the caller's format, and bytes are forwarded;
*translated* requests use different formats.

| request | Headgate | requests per second | forwarding server |${peer('Portkey')}
| --- | ---: | ---: | ---: |${peer('---:')}
${rows.join('\n')}

${[...notes, 'LiteLLM and other gateways were not measured. A hosted gateway also adds network latency.'].map((note) => `- ${note}`).join('\n')}

To use more than one core, run [workers](operations.md#workers) or several machines.

## Time to the first text

Median milliseconds from the request to the first text of its stream: one request at a time, on one machine, without
load. Headgate adds at most ${milliseconds(Math.max(added, 0))} ms to the forwarding server.

| stream | Headgate | forwarding server |
| --- | ---: | ---: |
${firstTexts.map((one) => `| ${one.scenario} | ${milliseconds(one.headgate)} | ${milliseconds(one.floor)} |`).join('\n')}

## Memory

Under this load the process used at most ${whole(largest)} MB${others.length > 0 ? `, Portkey's gateway ${whole(Math.max(...others))} MB` : ''}.${
    streams
      ? ` With ${whole(streams.open)} open streams and one event per second on each, it used ${whole(streams.memory)} MB.`
      : ''
  }

All figures, and how they were measured, are in [bench/figures.md](../bench/figures.md).
`
}
