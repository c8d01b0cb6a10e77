import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { REPOSITORY, slug } from '../build/links.ts'
import { rowAnchors } from '../build/row-anchors.ts'
import { sidebar } from '../build/sidebar.ts'

const { version }: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

// `src/serve.ts` puts the real path in its place. A site on another host has its own.
const base = process.env['DOCS_BASE'] ?? '/__headgate_docs__/'

export default defineConfig({
  title: 'Headgate',
  description: 'A gateway in front of every model.',
  base,
  srcDir: 'dist/pages',
  outDir: 'dist/site',
  cacheDir: 'node_modules/.cache/vitepress',
  cleanUrls: true,
  lastUpdated: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  markdown: { html: false, anchor: { slugify: slug }, config: (md) => void md.use(rowAnchors) },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Providers', link: '/adapters' },
      { text: 'Glossary', link: '/glossary' },
      {
        text: version,
        items: [
          { text: 'Other versions', link: 'https://headgate.github.io/headgate/versions.html' },
          { text: 'Releases', link: `${REPOSITORY}/releases` },
          { text: 'Contributing', link: '/contributing' },
          { text: 'Security', link: '/security' },
        ],
      },
    ],
    sidebar: sidebar(new URL('../dist/pages/', import.meta.url)),
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
  },
})
