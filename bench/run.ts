/** What `pnpm bench` runs: `before <folder>`, `faults`, `soak [minutes]`, or without a word what a request costs. */
const [what, ...args] = process.argv.slice(2)

switch (what) {
  case undefined:
    await import('./cost.ts')
    break
  case 'before':
    await (await import('./before.ts')).benchBefore(args)
    break
  case 'faults':
    await (await import('./faults.ts')).benchFaults(args)
    break
  case 'soak':
    await (await import('./soak.ts')).benchSoak(args)
    break
  default:
    console.error(`There is no benchmark "${what}". There are: before, faults, soak; without a word, what a request costs.`)
    process.exitCode = 1
}
