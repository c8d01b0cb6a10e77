/** The default theme with the fonts of the system, so that the site needs no download. */
export { default } from 'vitepress/theme-without-fonts'
