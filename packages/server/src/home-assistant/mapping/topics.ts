/** The topics of a publication. All of its own topics begin with `edp/` and its id, so that publications to one broker never meet. */
export interface Topics {
  /** `online` while an instance of the platform holds the connection. */
  readonly status: string
  /** Home Assistant writes `online` here when it has started. */
  readonly birth: string
  readonly config: (deviceId: string) => string
  readonly state: (deviceId: string) => string
  readonly availability: (deviceId: string) => string
  readonly command: (deviceId: string, key: string) => string
  readonly filters: { readonly configs: string; readonly commands: string }
  /** The device of a configuration's topic; undefined for any other topic. */
  readonly configuredDevice: (topic: string) => string | undefined
  /** The device and the control of a command's topic; undefined for any other topic. */
  readonly commanded: (topic: string) => { readonly deviceId: string; readonly key: string } | undefined
}

const between = (text: string, start: string, end: string) =>
  text.startsWith(start) && text.endsWith(end) && text.length > start.length + end.length
    ? text.slice(start.length, text.length - end.length)
    : undefined

export const makeTopics = (publicationId: string, discoveryPrefix: string): Topics => {
  const base = `edp/${publicationId}`
  const configs = `${discoveryPrefix}/device/edp_${publicationId}/`
  return {
    status: `${base}/status`,
    birth: `${discoveryPrefix}/status`,
    config: (deviceId) => `${configs}${deviceId}/config`,
    state: (deviceId) => `${base}/${deviceId}/state`,
    availability: (deviceId) => `${base}/${deviceId}/availability`,
    command: (deviceId, key) => `${base}/${deviceId}/set/${key}`,
    filters: { configs: `${configs}+/config`, commands: `${base}/+/set/+` },
    configuredDevice: (topic) => between(topic, configs, "/config"),
    commanded: (topic) => {
      const [deviceId, set, key, ...rest] = topic.startsWith(`${base}/`) ? topic.slice(base.length + 1).split("/") : []
      return deviceId !== undefined && set === "set" && key !== undefined && rest.length === 0
        ? { deviceId, key }
        : undefined
    }
  }
}
