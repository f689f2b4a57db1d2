/** The description that a gateway gives to everybody. */
export interface GatewayInfo {
  readonly serial: string
  /** Numbers with points, as in 8.2.4286. */
  readonly firmware: string
  /** First number of the firmware. */
  readonly generation: number
  /** Whether its model measures by current transformers, installed or not. */
  readonly isMetered: boolean
}

/** The first firmware whose API needs an access token and TLS. */
export const TOKEN_GENERATION = 7
/** The first firmware that knows batteries of the kind Encharge. */
export const BATTERY_GENERATION = 5

const LIMIT = 65_536

const element = (text: string, name: string) =>
  new RegExp(`<${name}>\\s*([^<]{1,64}?)\\s*</${name}>`, "u").exec(text)?.[1]

/** Reads the XML of `/info`; undefined if it is not that of a gateway. */
export const parseInfo = (body: unknown): GatewayInfo | undefined => {
  if (typeof body !== "string" || body.length > LIMIT || !body.includes("<envoy_info>")) return undefined
  const device = /<device>([\s\S]*?)<\/device>/u.exec(body)?.[1] ?? ""
  const serial = element(device, "sn")
  // A letter for the kind of release precedes the numbers.
  const firmware = /^[A-Za-z]?(\d{1,4}(?:\.\d{1,6}){1,4})$/u.exec(element(device, "software") ?? "")?.[1]
  if (serial === undefined || !/^\d{6,20}$/u.test(serial) || firmware === undefined) return undefined
  return {
    serial,
    firmware,
    generation: Number.parseInt(firmware, 10),
    isMetered: element(device, "imeter") === "true"
  }
}
