/** Ids of the default organization and its default project, which always exist. */
export const DEFAULT_ORGANIZATION = 'org_default'
export const DEFAULT_PROJECT = 'prj_default'

/** Id of the project of configured keys that name no other project. */
export const CONFIG_PROJECT = 'config'

/** Environment of keys that name none. */
export const DEFAULT_ENVIRONMENT = 'production'
