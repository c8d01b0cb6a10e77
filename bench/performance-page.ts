import type { Facts, Figure } from './report.ts'

const FLOOR = 'floor'
const HEADGATE = 'headgate'
const PORTKEY = 'portkey'

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const milliseconds = (microseconds: number): string => (microseconds / 1000).toFixed(2)

/** Requests that one second of a processor's time is enough for, by the figure that stands beside it. */
function perSecond(figure: Figure | undefined): string {
  return figure ? whole(Math.floor(10_000 / Math.round(figure.cpu)) * 100) : ''
}

/**
 * The page `docs/performance.md`: what a request costs whoever runs the gateway, and what it would cost them otherwise.
 */
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

  return `# What does it cost to have a gateway in between?

<!-- Written by \`pnpm bench\`. Do not edit by hand. -->

Some CPU time and memory of the machine that it runs on, and no time that a caller notices: the first text of a stream is there
${milliseconds(slowest)} ms after the request, the way to an upstream on the same machine and back included. In that time a request is
authenticated, routed, translated where the formats differ, metered, written into the journal of usage, and logged.

Measured on ${measured}.

## CPU time

Microseconds of CPU time a request, of all threads of the process, and how many requests a second of one core's time is enough for.
A *forwarding server* is what you might write yourself: it hands the request on and the answer back, and does nothing else; in
translated streams it also reads and writes each event.${hasPeer ? " *Portkey* is Portkey's gateway, as npm has it, with nothing configured." : ''}

| request | Headgate | requests a second | forwarding server |${peer('Portkey')}
| --- | ---: | ---: | ---: |${peer('---:')}
${rows.join('\n')}

*Bypass* is a provider that speaks the caller's format, whose bytes pass; *translated* is one of another format.

${[...notes, 'LiteLLM and other gateways were not measured. Of a hosted one the way there and back comes on top.'].map((note) => `- ${note}`).join('\n')}

More than one core's worth of requests are served by [workers](operations.md#every-core), or by further nodes.

## Time to the first text

One request at a time, on one machine, without load: milliseconds from the request until the first text of its stream is here,
medians. It is at most ${milliseconds(Math.max(added, 0))} ms more than with the forwarding server in between.

| stream | through Headgate | through a forwarding server |
| --- | ---: | ---: |
${firstTexts.map((one) => `| ${one.scenario} | ${milliseconds(one.headgate)} | ${milliseconds(one.floor)} |`).join('\n')}

## Memory

Under that load the process was ${whole(largest)} MB large at most${others.length > 0 ? `, Portkey's gateway ${whole(Math.max(...others))} MB` : ''}.${
    streams
      ? ` With ${whole(streams.open)} streams open at once, each of which gets an event a second, it was ${whole(streams.memory)} MB.`
      : ''
  }

Every figure, and how it was measured, is in [bench/figures.md](../bench/figures.md). \`pnpm bench\` measures on your own machine.
`
}
