/**
 * Benchmark to run with `pnpm bench`: `accounts`, `before <folder>`, `budgets [times]`, `dashboard [rows] [name ...]`,
 * `endpoints`, `faults`, `fleet [fault] [seeds] [seconds]`, `kills [count]`, `limits`, `overload [seconds]`,
 * `refusals`, `rolling [streams] [seconds]`, `routing [sessions]`, `simulate [nodes]`, `soak [minutes]`, `start [count]`,
 * `store [rows] [sqlite|postgres]`, `store-scale [rows]`, `workers [count]`; without an argument, the cost of a request.
 */
const [what, ...args] = process.argv.slice(2)

switch (what) {
  case undefined:
    await import('./cost.ts')
    break
  case 'accounts':
    await (await import('./accounts.ts')).benchAccounts(args)
    break
  case 'before':
    await (await import('./before.ts')).benchBefore(args)
    break
  case 'budgets':
    await (await import('./budgets.ts')).benchBudgets(args)
    break
  case 'dashboard':
    await (await import('./dashboard.ts')).benchDashboard(args)
    break
  case 'endpoints':
    await (await import('./endpoints.ts')).benchEndpoints()
    break
  case 'faults':
    await (await import('./faults.ts')).benchFaults(args)
    break
  case 'fleet':
    await (await import('./fleet.ts')).benchFleet(args)
    break
  case 'kills':
    await (await import('./kills.ts')).benchKills(args)
    break
  case 'limits':
    await (await import('./limits.ts')).benchLimits(args)
    break
  case 'refusals':
    await (await import('./refusals.ts')).benchRefusals()
    break
  case 'rolling':
    await (await import('./rolling.ts')).benchRolling(args)
    break
  case 'overload':
    await (await import('./overload.ts')).benchOverload(args)
    break
  case 'routing':
    await (await import('./routing.ts')).benchRouting(args)
    break
  case 'simulate':
    await (await import('./simulate.ts')).benchSimulate(args)
    break
  case 'soak':
    await (await import('./soak.ts')).benchSoak(args)
    break
  case 'start':
    await (await import('./start.ts')).benchStart(args)
    break
  case 'store':
    await (await import('./store.ts')).benchStore(args)
    break
  case 'store-scale':
    await (await import('./store-scale.ts')).benchStoreScale(args)
    break
  case 'workers':
    await (await import('./workers.ts')).benchWorkers(args)
    break
  default:
    console.error(
      `Unknown benchmark "${what}". Available: accounts, before, budgets, dashboard, endpoints, faults, fleet, kills, limits, overload, rolling, routing, simulate, soak, start, store, store-scale, workers; without an argument, the cost of a request.`,
    )
    process.exitCode = 1
}
