import type { Role } from './people.ts'

/** A page of who is signed in. */
export interface PageFacts {
  readonly path: string
  /** Its heading. */
  readonly title: string
  /** What the title of the window says after it. */
  readonly scope?: string
  /** What stands on it for somebody, beside the heading: text, or a part of it. */
  readonly shows: Readonly<Record<Role, string | RegExp>>
  /** Who finds it in the rail. */
  readonly isListed: readonly Role[]
}

const ALL = ['owner', 'admin', 'member', 'viewer'] as const

function forAll(shows: string | RegExp): PageFacts['shows'] {
  return { owner: shows, admin: shows, member: shows, viewer: shows }
}

/** Every page, and what each role sees there: a page that grows gets its line here. */
export const PAGES: readonly PageFacts[] = [
  {
    path: '/start',
    title: 'Start',
    shows: { ...forAll('Create key'), viewer: /Viewers cannot create keys/ },
    isListed: ALL,
  },
  { path: '/now', title: 'Now', shows: forAll('All providers'), isListed: ALL },
  { path: '/spend', title: 'Spend', shows: forAll('Spend'), isListed: ALL },
  { path: '/explain', title: 'Explain', shows: forAll('Explain'), isListed: ALL },
  { path: '/account', title: 'Account', shows: forAll('Your sessions'), isListed: [] },
  { path: '/requests', title: 'Requests', shows: { ...forAll('demo'), member: /No requests/ }, isListed: ALL },
  {
    path: '/requests?tab=sessions',
    title: 'Requests',
    shows: { ...forAll(/No sessions|Sessions by spend/), member: /people who see all usage/ },
    isListed: [],
  },
  {
    path: '/requests?tab=errors',
    title: 'Requests',
    shows: { ...forAll('invalid request'), member: /No errors/ },
    isListed: [],
  },
  {
    path: '/playground',
    title: 'Playground',
    shows: { ...forAll('Send'), viewer: /Viewers cannot use the playground/ },
    isListed: ['owner', 'admin', 'member'],
  },
  {
    path: '/playground?kind=search',
    title: 'Playground',
    shows: { ...forAll('Query'), viewer: /Viewers cannot use the playground/ },
    isListed: [],
  },
  {
    path: '/playground?kind=embeddings',
    title: 'Playground',
    shows: { ...forAll('Model'), viewer: /Viewers cannot use the playground/ },
    isListed: [],
  },
  ...Object.entries({
    images: 'Generate images',
    speech: 'Generate speech',
    transcription: 'Add recording',
    moderations: 'Classify',
  }).map(([kind, shows]) => ({
    path: `/playground?kind=${kind}`,
    title: 'Playground',
    shows: { ...forAll(shows), viewer: /Viewers cannot use the playground/ },
    isListed: [],
  })),
  {
    path: '/playground?kind=video',
    title: 'Playground',
    shows: { ...forAll('Generate video'), viewer: /Viewers cannot use the playground/ },
    isListed: [],
  },
  {
    path: '/keys',
    title: 'Keys',
    shows: { owner: 'ci', admin: 'ci', member: 'Your keys', viewer: /Viewers cannot see keys/ },
    isListed: ['owner', 'admin', 'member'],
  },
  { path: '/budgets', title: 'Budgets and limits', shows: { ...forAll('Budgets') }, isListed: ALL },
  { path: '/models', title: 'Models and prices', shows: forAll('resilient'), isListed: ALL },
  {
    path: '/models?row=demo&compare=demo,busy',
    title: 'Models and prices',
    shows: forAll('Try in the playground'),
    isListed: [],
  },
  { path: '/providers', title: 'Providers', shows: forAll('acme'), isListed: ALL },
  { path: '/providers?row=acme', title: 'Providers', shows: forAll('Environment variables'), isListed: [] },
  { path: '/providers?tab=installed', title: 'Providers', shows: forAll('openai-compatible'), isListed: [] },
  {
    path: '/providers?tab=doctor',
    title: 'Providers',
    shows: { ...forAll('Only owners and admins'), owner: 'Run checks', admin: 'Run checks' },
    isListed: [],
  },
  {
    path: '/organization',
    title: 'Organization',
    scope: 'default',
    shows: { ...forAll('Ada Lovelace'), member: /owner|admin/ },
    isListed: ALL,
  },
  ...['projects', 'sign-in', 'audit', 'data'].map((tab) => ({
    path: `/organization?tab=${tab}`,
    title: 'Organization',
    scope: 'default',
    shows: forAll('Organization'),
    isListed: [],
  })),
]
