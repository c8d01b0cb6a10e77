import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'
import { siteList } from './build/site-list.ts'

const folder = import.meta.dirname
const site = join(folder, 'dist/site')

/** URL of the gateway during development. Browsers must use an origin that the gateway allows: its own. */
const gateway = process.env['HEADGATE_URL'] ?? 'http://127.0.0.1:8787'

export default defineConfig({
  root: join(folder, 'web'),
  // The page may lie below a path: the server writes it into the page, all other references are relative.
  base: './',
  cacheDir: join(folder, 'node_modules/.vite'),
  // The pages build before the packages whose data they show.
  resolve: { conditions: ['@headgate/source', ...defaultClientConditions] },
  plugins: [react(), tailwindcss(), siteList({ site, list: join(folder, 'dist/site.json') })],
  build: {
    outDir: site,
    emptyOutDir: true,
    target: 'es2023',
    // Nothing may be inline: the policy of content has neither `unsafe-inline` nor hashes.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/, priority: 2 },
            {
              name: 'tanstack',
              test: /node_modules[\\/].*@tanstack[\\/](?:react-router|router-core|history|react-query|query-core|store|react-store)[\\/]/,
              priority: 2,
            },
            // Each file costs a round trip on a phone, so what all pages need is one, and so is what several need.
            { name: 'shell', test: /[\\/]web[\\/](?!main)|lucide/, tags: ['$initial'], priority: 1 },
            { name: 'common', test: /[\\/]web[\\/](?!pages)|lucide/, minShareCount: 6 },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      '/api/v': { target: gateway, headers: { origin: gateway }, changeOrigin: true },
      '/v1': { target: gateway, changeOrigin: true },
    },
  },
  preview: {
    proxy: {
      '/api/v': { target: gateway, headers: { origin: gateway }, changeOrigin: true },
    },
  },
})
