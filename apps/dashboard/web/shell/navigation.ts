import {
  Activity,
  Boxes,
  Building2,
  ChartNoAxesColumn,
  Gauge,
  KeyRound,
  Lightbulb,
  ListTree,
  type LucideIcon,
  MessageSquareText,
  Network,
  Play,
} from 'lucide-react'
import { LABELS } from '../labels.ts'

export interface Destination {
  readonly to:
    | '/start'
    | '/now'
    | '/spend'
    | '/explain'
    | '/requests'
    | '/playground'
    | '/keys'
    | '/budgets'
    | '/models'
    | '/providers'
    | '/organization'
  readonly title: string
  readonly icon: LucideIcon
  /** Letter of the shortcut, after `g`. */
  readonly letter: string
  /** Permission that the page requires. */
  readonly action: string
  /** Additional search terms. */
  readonly words?: string
}

/** Pages, in groups. */
export const DESTINATIONS: readonly (readonly Destination[])[] = [
  [
    { to: '/now', title: 'Now', icon: Activity, letter: 'n', action: 'usage.read', words: 'live errors health home' },
    {
      to: '/spend',
      title: LABELS.spend,
      icon: ChartNoAxesColumn,
      letter: 's',
      action: 'usage.read',
      words: 'cost overview statement month',
    },
    {
      to: '/explain',
      title: 'Explain',
      icon: Lightbulb,
      letter: 'e',
      action: 'usage.read',
      words: 'losses failover cache saved',
    },
    {
      to: '/requests',
      title: LABELS.requests,
      icon: ListTree,
      letter: 'r',
      action: 'usage.read',
      words: 'logs activity usage bill',
    },
    {
      to: '/playground',
      title: 'Playground',
      icon: MessageSquareText,
      letter: 'p',
      action: 'keys.write',
      words: 'chat try',
    },
  ],
  [
    {
      to: '/keys',
      title: 'Keys',
      icon: KeyRound,
      letter: 'k',
      action: 'keys.read',
      words: 'secret token rotate revoke',
    },
    { to: '/budgets', title: 'Budgets', icon: Gauge, letter: 'b', action: 'budgets.read', words: 'limits alerts' },
  ],
  [
    { to: '/models', title: 'Models', icon: Boxes, letter: 'm', action: 'providers.read', words: 'prices context' },
    {
      to: '/providers',
      title: 'Providers',
      icon: Network,
      letter: 'v',
      action: 'providers.read',
      words: 'health doctor adapters',
    },
  ],
  [
    {
      to: '/organization',
      title: 'Organization',
      icon: Building2,
      letter: 'o',
      action: 'organization.read',
      words: 'members roles projects audit settings',
    },
    {
      to: '/start',
      title: 'Start',
      icon: Play,
      letter: 't',
      action: 'organization.read',
      words: 'first request snippet curl',
    },
  ],
]

/** Fields of the top bar that act on a page. */
export interface BarFields {
  /** Project and environment. */
  readonly hasScope: boolean
  readonly hasRange: boolean
}

const SCOPED = ['/spend', '/explain', '/requests', '/playground', '/keys', '/budgets']
const RANGED = ['/spend', '/explain', '/requests']

/** Fields of the top bar for a page and its search parameters. */
export function barFieldsOf(path: string, search: Readonly<Record<string, unknown>>): BarFields {
  const hasRange =
    (RANGED.includes(path) && search['statement'] === undefined) ||
    // The panel of a key shows its usage.
    (path === '/keys' && search['row'] !== undefined) ||
    (path === '/organization' && search['tab'] === 'audit')
  return { hasScope: SCOPED.includes(path), hasRange }
}
