import { banner, firstKeyText } from '../../apps/server/src/service/banner.ts'
import { demo } from '../../packages/providers/demo/src/index.ts'
import { fence } from './markdown.ts'

const URL = 'http://127.0.0.1:8787'

/** What the program prints when it is started for the first time, with no configuration. */
export function firstStart(): string {
  const package_ = { name: '@headgate/provider-demo', version: '0', kind: 'provider', path: '', exports: {} } as const
  const state = {
    adapter: { id: 'demo', package: package_, factory: demo },
    name: 'demo',
    entry: { provider: demo({}) },
    why: 'nothing else is enabled',
  }
  const settings = {
    config: {},
    port: 8787,
    host: '127.0.0.1',
    dataDir: '/home/you/headgate/.headgate',
    logLevel: 'info',
    keys: [],
  } as const
  return fence('text', banner({ version: 'x.y.z', url: URL, settings, states: [state] }) + firstKeyText('sk-hg-…', URL, 'demo'))
}
