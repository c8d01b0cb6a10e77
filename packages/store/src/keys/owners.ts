/** Ids of the organization and of its project that there always are, whether or not anybody has given them a name. */
export const DEFAULT_ORGANIZATION = 'org_default'
export const DEFAULT_PROJECT = 'prj_default'

/** Id of the project of keys that the configuration or the environment names, and that no other one is said of. */
export const CONFIG_PROJECT = 'config'

/** Where a key is used that nothing else is said of. */
export const DEFAULT_ENVIRONMENT = 'production'
