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
  { path: '/start', title: 'Start', shows: { ...forAll('Make a key'), viewer: /Viewers have no keys/ }, isListed: ALL },
  { path: '/overview', title: 'Overview', shows: { ...forAll('Spend'), member: /No requests/ }, isListed: ALL },
  { path: '/requests', title: 'Requests', shows: { ...forAll('demo'), member: /No requests/ }, isListed: ALL },
  {
    path: '/playground',
    title: 'Playground',
    shows: { ...forAll('Send'), viewer: /Viewers ask no models/ },
    isListed: ['owner', 'admin', 'member'],
  },
  {
    path: '/playground?kind=search',
    title: 'Playground',
    shows: { ...forAll('Words'), viewer: /Viewers ask no models/ },
    isListed: [],
  },
  {
    path: '/playground?kind=embeddings',
    title: 'Playground',
    shows: { ...forAll('Model'), viewer: /Viewers ask no models/ },
    isListed: [],
  },
  {
    path: '/playground?kind=video',
    title: 'Playground',
    shows: { ...forAll('Make a video'), viewer: /Viewers ask no models/ },
    isListed: [],
  },
  {
    path: '/keys',
    title: 'Keys',
    shows: { owner: 'ci', admin: 'ci', member: 'Those that you made', viewer: /Viewers see no keys/ },
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
  { path: '/providers?row=acme', title: 'Providers', shows: forAll('What it needs'), isListed: [] },
  { path: '/providers?tab=installed', title: 'Providers', shows: forAll('openai-compatible'), isListed: [] },
  {
    path: '/providers?tab=doctor',
    title: 'Providers',
    shows: { ...forAll('Only admins and owners'), owner: 'Look now', admin: 'Look now' },
    isListed: [],
  },
  {
    path: '/organization',
    title: 'Organization',
    scope: 'default',
    shows: { ...forAll('Ada Lovelace'), member: /owner|admin/ },
    isListed: ALL,
  },
  ...['projects', 'sign-in', 'sessions', 'audit', 'data'].map((tab) => ({
    path: `/organization?tab=${tab}`,
    title: 'Organization',
    scope: 'default',
    shows: forAll('Organization'),
    isListed: [],
  })),
]
