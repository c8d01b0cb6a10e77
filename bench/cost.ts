import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addedByEndpoints, MOST_ADDED, measureEndpoints } from './endpoints.ts'
import { type FirstText, firstText } from './first-text.ts'
import { startHeadgate } from './headgate.ts'
import { portkeyHeaders, startPortkey } from './peers.ts'
import { performancePage } from './performance-page.ts'
import { startNode } from './process.ts'
import { type Figure, measuredOn, report } from './report.ts'
import { type Contender, compare } from './rounds.ts'
import { scenarios } from './scenarios.ts'
import { root, withStarted } from './started.ts'
import { openStreams } from './streams.ts'

function versionOf(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

await withStarted(async ({ origin, start }) => {
  const floors = {
    pass: await start(startNode([join(root, 'bench/floor.ts'), origin, 'pass'])),
    parse: await start(startNode([join(root, 'bench/floor.ts'), origin, 'parse'])),
  }
  const headgate = await start(startHeadgate(root, origin))
  const portkey = await start(startPortkey(root))
  const notes: string[] = []
  if (!portkey)
    notes.push(
      'The npm package of Portkey’s gateway could not be installed on this machine, so it is not in the tables.',
    )
  else
    notes.push(
      'Portkey’s gateway 1.15.2 responds to streams with an error on these versions, so only unary requests are compared.',
    )

  const figures: Figure[] = []
  for (const scenario of scenarios) {
    const contenders: Contender[] = [
      { name: 'floor', process: floors[scenario.floor], shot: scenario.direct },
      { name: 'headgate', process: headgate, shot: scenario.headgate },
    ]
    if (scenario.peers && portkey) {
      contenders.push({
        name: 'portkey',
        process: portkey,
        shot: { ...scenario.direct, headers: { ...scenario.direct.headers, ...portkeyHeaders(origin) } },
      })
    }
    figures.push(...(await compare(scenario, contenders)))
  }
  figures.push(...(await measureEndpoints(start, origin, floors.pass)))
  const { whole: added } = addedByEndpoints(figures)
  const firstTexts: FirstText[] = []
  for (const scenario of scenarios.filter(({ name }) => name.includes('stream'))) {
    const direct = { port: floors[scenario.floor].port, shot: scenario.direct }
    const figure = await firstText(scenario.name, direct, { port: headgate.port, shot: scenario.headgate })
    process.stdout.write(`${scenario.name} · first text: ${figure.added.toFixed(0)} µs more than the floor\n`)
    firstTexts.push(figure)
  }
  const streams = await openStreams(headgate, 5_000)
  process.stdout.write(`${streams.open} open streams: ${streams.memory.toFixed(0)} MB\n`)
  const versions = {
    'Node.js': process.versions.node,
    undici: versionOf(join(root, 'node_modules/undici/package.json')),
    headgate: versionOf(join(root, 'apps/server/package.json')),
  }
  const facts = { versions, firstTexts, streams, notes }
  const measured = measuredOn(versions)
  writeFileSync(join(root, 'bench/figures.md'), report(figures, facts, measured))
  writeFileSync(join(root, 'docs/performance.md'), performancePage(figures, facts, measured))
  const over = figures.filter((figure) => figure.budget !== undefined && figure.mainRatio > figure.budget)
  for (const figure of over)
    process.stdout.write(`over budget: ${figure.scenario}: ${figure.mainRatio.toFixed(2)} > ${figure.budget}\n`)
  if (!(added <= MOST_ADDED)) process.stdout.write(`over budget: 3 endpoints add ${added.toFixed(1)} µs\n`)
})
