import { banner, firstKeyText } from '../../apps/server/src/service/banner.ts'
import { linkOf, printedLink } from '../../apps/server/src/service/first-link.ts'
import { takeInventory } from '../../apps/server/src/service/inventory.ts'
import { fence } from './markdown.ts'

const URL = 'http://127.0.0.1:8787'

/** Output of the first start without a configuration. */
export async function firstStart(): Promise<string> {
  const settings = {
    config: {},
    port: 8787,
    host: '127.0.0.1',
    workers: 1,
    dataDir: '/home/you/headgate/.headgate',
    logLevel: 'info',
    keys: [],
  } as const
  const inventory = await takeInventory(settings, { folder: '/', environment: {} })
  const said = banner({ version: 'x.y.z', url: URL, dashboardUrl: 'http://localhost:8787/', settings, inventory })
  const key = firstKeyText({ key: 'hg_p_…', url: URL, model: 'demo', searches: inventory.search !== undefined })
  return fence('text', said + key + printedLink(linkOf('http://localhost:8787', 'first', '…')))
}
