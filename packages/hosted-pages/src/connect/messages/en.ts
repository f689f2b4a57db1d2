import type { ConnectError } from "@edp/domain/connections/ConnectError"
import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import { commonMessages } from "../../scene/messages/messages.ts"

/** A heading, a sentence that says what happened, and one that says what to do now. */
interface ErrorText {
  readonly title: string
  readonly happened: (asker: string, manufacturer: string) => string
  readonly wayOn: (asker: string, manufacturer: string) => string
}

/** All messages of the connect pages in English. The other languages have its type: a missing message does not compile. */
export const en = {
  ...commonMessages.en,
  /** Stands for the name of the manufacturer where it is not known. */
  unknownManufacturer: "the manufacturer",
  cancel: "Cancel",
  customer: {
    title: "Your details",
    lead: (asker: string) => `${asker} uses them to set up the energy devices in your home.`
  },
  manufacturers: {
    title: "Who makes your device?",
    lead: "Choose the brand whose app you use to control it.",
    search: "Search by brand",
    searchButton: "Search",
    filter: "Type of device",
    allTypes: "All",
    list: "Brands",
    notYet: "Not supported yet",
    found: (count: number) => (count === 1 ? "1 brand" : `${count} brands`),
    none: "No brand makes this type of device.",
    noMatch: (search: string) => `No brand matches “${search}”.`,
    showAll: "Show all brands"
  },
  unsupported: {
    title: (manufacturer: string) => `${manufacturer} is not supported yet`,
    lead: (asker: string, manufacturer: string) =>
      `${manufacturer} devices cannot be connected at the moment. We noted that you asked for it.`,
    another: "Choose another brand"
  },
  consent: {
    title: (asker: string, manufacturer: string) => `Connect ${manufacturer} with ${asker}`,
    lead: (asker: string, manufacturer: string) =>
      `${asker} asks for access to your ${manufacturer} devices. Nothing is shared before you agree.`,
    titleAgain: (asker: string, manufacturer: string) => `Reconnect ${manufacturer} with ${asker}`,
    leadAgain: (asker: string, manufacturer: string) =>
      `${asker} no longer has access to your ${manufacturer} devices. Connect the same account again: your devices and their history are kept.`,
    connected: "Already connected",
    anotherAccount: (manufacturer: string) => `Go on to connect another ${manufacturer} account.`,
    anotherDevice: "Go on to connect another device.",
    reads: (asker: string) => `${asker} will see`,
    commands: (asker: string) => `${asker} will be able to`,
    noCommands: "It only reads: it cannot control your devices.",
    not: (asker: string) => `${asker} will not`,
    nots: {
      password: (manufacturer: string) => `see your ${manufacturer} password: you sign in at ${manufacturer}`,
      account: "change your account or its payment details"
    },
    notsOfLocal: { network: "reach other devices in your network", internet: "see what else you do on the internet" },
    end: "Stopping later",
    endings: (asker: string, manufacturer: string) =>
      `Ask ${asker} to disconnect your devices, or remove its access in your ${manufacturer} account. Access ends at once.`,
    endingsOfLocal: (asker: string) => `Ask ${asker} to disconnect your device. Access ends at once.`,
    agree: "Agree and continue",
    decline: "No, thanks"
  },
  form: {
    title: (manufacturer: string) => `Connect your ${manufacturer} device`,
    lead: "These details are stored encrypted and are used for nothing else.",
    failed: "We could not connect",
    submit: "Connect",
    failures: {
      unreached:
        "No such device could be reached at this address. Check the address and the port, that the device is on, and that access over the local network is turned on in its settings.",
      link_spent: "Too many attempts were made with this link. Ask for a new one.",
      too_many: "There were too many attempts from your network. Wait a minute and try again."
    }
  },
  waiting: {
    title: (manufacturer: string) => `Continue at ${manufacturer}`,
    lead: (manufacturer: string) =>
      `Sign in at ${manufacturer} and allow the access. This page goes on by itself as soon as you have.`,
    goOn: (manufacturer: string) => `Open ${manufacturer}`,
    dialTitle: "Set up your device",
    dialLead: "Enter these values in the settings of your device. This page goes on by itself as soon as it connects.",
    plainTitle: "Almost there",
    plainLead: "This page goes on by itself as soon as there is a response.",
    settings: "Settings for your device",
    show: "Show",
    copy: "Copy",
    copied: "Copied",
    status: (manufacturer: string) => `Waiting for ${manufacturer}`,
    check: "Check now",
    stop: "Stop checking automatically"
  },
  system: {
    title: "Choose what to connect",
    lead: (manufacturer: string) => `These devices are in your ${manufacturer} account.`,
    devices: "Devices",
    serialNumber: (number: string) => `Serial number ${number}`,
    incompatible: "Cannot be connected:",
    taken: "Already connected",
    submit: "Finish"
  },
  done: {
    title: "You are connected",
    lead: (asker: string, count: number) =>
      count === 1 ? `Your device now works with ${asker}.` : `Your ${count} devices now work with ${asker}.`,
    devices: "Connected devices",
    interventions: "Still to do",
    interventionsLead:
      "Your devices are connected. These things need someone’s attention before all of them work fully.",
    blocks: "Until then it cannot:",
    returnTo: (asker: string) => `Continue to ${asker}`,
    close: "You can close this page."
  },
  returned: {
    title: "Go back to where you started",
    lead: (manufacturer: string) =>
      `You are back from ${manufacturer}. The page or app in which you started shows what comes next.`,
    goOn: "Open that page here"
  },
  error: {
    retry: "Try again",
    newLink: (asker: string) => `To try again, ask ${asker} for a new link.`,
    returnTo: (asker: string) => `Return to ${asker}`
  },
  unknown: {
    title: "This link does not work",
    happened: "The address is incomplete, or the link was removed.",
    wayOn: "Open the link from your message again, or ask for a new one."
  },
  errors: {
    access_denied: {
      title: "No access was given",
      happened: (_, manufacturer) =>
        `The sign-in at ${manufacturer} was cancelled or refused, so nothing is connected.`,
      wayOn: () => "If that was not what you wanted, start again and allow the access."
    },
    expired: {
      title: "This link has expired",
      happened: () => "This link is no longer valid.",
      wayOn: (asker) => `Ask ${asker} for a new link.`
    },
    unsupported_manufacturer: {
      title: "This brand is not supported yet",
      happened: (_, manufacturer) => `Devices of ${manufacturer} cannot be connected at the moment.`,
      wayOn: (asker) => `Ask ${asker} which brands can be connected.`
    },
    duplicate_connection: {
      title: "Already connected",
      happened: (asker, manufacturer) => `Your ${manufacturer} account or device is already connected with ${asker}.`,
      wayOn: (asker) =>
        `There is nothing left to do here. To connect another account or device, ask ${asker} for a new link.`
    },
    no_devices: {
      title: "We found no devices",
      happened: (_, manufacturer) => `There are no devices in your ${manufacturer} account.`,
      wayOn: (_, manufacturer) =>
        `Check in the app of ${manufacturer} that your devices appear there and that you use the same account.`
    },
    device_incompatible: {
      title: "These devices cannot be connected",
      happened: (_, manufacturer) => `None of the devices in your ${manufacturer} account can be connected.`,
      wayOn: (asker) => `Ask ${asker} which models are supported.`
    },
    account_mismatch: {
      title: "This is another account",
      happened: (_, manufacturer) =>
        `You signed in with another ${manufacturer} account than the one that was connected, so nothing was changed.`,
      wayOn: () => "Sign in with the account that you used the first time."
    },
    consent_refused: {
      title: "Nothing was connected",
      happened: () => "You did not agree, so nothing was read or shared.",
      wayOn: () => "You can still change your mind."
    },
    manufacturer_unavailable: {
      title: "The manufacturer does not respond",
      happened: (_, manufacturer) => `We cannot reach ${manufacturer} at the moment.`,
      wayOn: () => "It may work again in a few minutes."
    },
    configuration_error: {
      title: "The connection is not set up correctly",
      happened: (_, manufacturer) =>
        `A setting on our side keeps us from connecting to ${manufacturer}; you did nothing wrong.`,
      wayOn: (asker) => `Please tell ${asker}, who can have it corrected.`
    },
    server_error: {
      title: "Something went wrong",
      happened: () => "An error on our side stopped the connection.",
      wayOn: (asker) => `If it happens again, tell ${asker}.`
    }
  } satisfies Record<ConnectError, ErrorText> as Record<ConnectError, ErrorText>,

  /** The readings of a device of each type, for the consent. */
  reads: {
    battery: "how full your battery is, and how much power it takes and gives",
    charger: "whether your charger is plugged in, and how much power and energy it uses",
    inverter: "how much power and energy your solar system generates",
    meter: "how much power and energy you draw from the grid and feed into it",
    thermostat: "the temperature in your home, and the settings of your thermostat",
    vehicle:
      "how full your vehicle’s battery is, whether it is plugged in and charging, and where it is if you share that",
    water_heater: "the temperature and the energy use of your water heater",
    other: "the readings and settings of your device",
    unknown: "the readings and settings of your device"
  } satisfies Record<DeviceType, string> as Record<DeviceType, string>,
  readsAlways: "the make, model, serial number and status of your devices",

  commands: {
    "battery:set-reserve": "set how much of the battery is kept for backup",
    "battery:set-operating-mode": "charge, discharge or pause the battery, and return it to its own settings",
    "charger:set-operating-mode": "start and stop charging at the charger",
    "thermostat:set-operating-mode": "set the heating and cooling mode and its target temperatures",
    "thermostat:set-fan-mode": "set the fan",
    "thermostat:pause-schedule": "pause the thermostat’s own schedule",
    "thermostat:resume-schedule": "resume the thermostat’s own schedule",
    "vehicle:check-pairing-status": "check whether your vehicle accepts commands",
    "vehicle:set-charge-limit": "set up to which level your vehicle charges",
    "vehicle:set-operating-mode": "start and stop charging of your vehicle"
  } satisfies Record<CommandSlug, string> as Record<CommandSlug, string>,
  telemetry: "send readings"
}

export type Messages = typeof en
