import {
  Boxes,
  Building2,
  ChartNoAxesColumn,
  Gauge,
  KeyRound,
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
    | '/overview'
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
    {
      to: '/overview',
      title: 'Overview',
      icon: ChartNoAxesColumn,
      letter: 'o',
      action: 'usage.read',
      words: 'spend cost dashboard',
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
      letter: 's',
      action: 'organization.read',
      words: 'members roles sessions passkeys audit settings',
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
