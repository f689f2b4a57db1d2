import type { BrokerDevice } from "./BrokerDevice.ts"

export interface DescribedDevices {
  readonly devices: ReadonlyArray<BrokerDevice>
  /** Descriptions that were not understood, a sentence each. */
  readonly problems: ReadonlyArray<string>
}

/** How the devices of an account are found on its broker. */
export interface BrokerDialect {
  /** Filters of the topics that describe devices; none if the devices are known beforehand. */
  readonly filters: ReadonlyArray<string>
  /** Whether a topic describes devices. */
  readonly isDescription: (topic: string) => boolean
  /** The devices by the newest payloads of those topics. */
  readonly describe: (descriptions: ReadonlyMap<string, string>) => DescribedDevices
}
