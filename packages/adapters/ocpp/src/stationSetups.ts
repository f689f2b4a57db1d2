/** How the stations of one product line are pointed at a central system: facts of public sources. */
export interface StationSetup {
  readonly maker: string
  readonly models: ReadonlyArray<string>
  /** The program that has the settings; absent where the sources do not say. `page`: a web page of the station itself. */
  readonly tool?: { readonly kind: "app" | "portal" | "page" | "program"; readonly name: string }
  /** Labels on the way to the settings. Labels are those of the English tool. */
  readonly menu?: ReadonlyArray<string>
  readonly turnOn?: ReadonlyArray<string>
  readonly choose?: Readonly<Record<string, string>>
  /** Labels of the fields. `password: null`: the sources know no field for it. */
  readonly labels?: {
    readonly address?: string
    readonly stationId?: string
    readonly password?: string | null
  }
  /** `full`: the field takes the address with the id. `no-scheme`: without `wss://`. By default both are shown. */
  readonly address?: "base" | "full" | "no-scheme"
  /** The station always connects with this number, which the person enters on the form. */
  readonly fixedId?: "serial number"
  /** The oldest version that works. */
  readonly firmware?: string
  readonly notes?: ReadonlyArray<string>
  readonly source: string
}

const evcc = (name: string) => `evcc-io/evcc, charger template ocpp-${name} (MIT)`
const lbbrhzn = "lbbrhzn/ocpp, docs/supported-devices.md (MIT)"
const both = (name: string) => `${evcc(name)}; ${lbbrhzn}`

const wallbox = {
  maker: "Wallbox",
  tool: { kind: "app", name: "myWallbox" },
  labels: { address: "URL", stationId: "Charge Point Identity", password: "Password" },
  address: "base",
  source: `support.wallbox.com, OCPP activation and setup guide; ${evcc("wallbox")}; ${lbbrhzn}`
} as const
const wallboxNotes = [
  "In the portal the switch is called OCPP WebSocket connection.",
  "Measured values may be missing or incomplete, and the station may need a restart to connect again."
]

/** A product may be listed twice where its versions differ. */
export const stationSetups: ReadonlyArray<StationSetup> = [
  {
    maker: "ABB",
    models: ["Terra AC"],
    notes: [
      "Firmware up to 1.8.21 accepts every measured value it is asked for and may restart when the list is read back."
    ],
    source: both("abb-tac")
  },
  { maker: "ABL", models: ["eMH2", "eMH3", "eM4 Single", "eM4 Twin"], source: evcc("abl") },
  {
    maker: "Alfen",
    models: ["Eve", "Eve Single Pro-line", "Eve Single S-line", "Eve Double Pro-line"],
    tool: { kind: "program", name: "ACE Service Installer" },
    menu: ["Connectivity"],
    choose: { "Back Office Preset": "Manually enter backend settings", Protocol: "OCPP 1.6" },
    labels: { address: "Server domain and port, and Back office path" },
    notes: [
      "The names are those of firmware 6.0 and later.",
      "A wss address needs the root certificate, which the General tab takes as a firmware file.",
      "OCPP Boot Notification State under Live Monitoring shows ACCEPTED once the station is connected."
    ],
    source: `Alfen knowledge base KA-01372; ${both("alfen")}`
  },
  {
    maker: "Autel",
    models: ["MaxiCharger AC", "AC Compact"],
    tool: { kind: "app", name: "Autel Charge" },
    menu: ["OCPP Server", "Custom"],
    labels: { address: "Server URL", stationId: "Charger ID", password: "Authorisation Key" },
    address: "base",
    firmware: "V1.51.00 (charge control) and V1.19.00 (power control)",
    notes: [
      "With an empty Charger ID the station connects with its serial number.",
      "A wss address needs the root certificate of the server in the certificate field; without one the station drops the connection silently.",
      "After a stop by command the station stays in Finishing until the cable is unplugged or the station is restarted."
    ],
    source: both("autel")
  },
  { maker: "Autoaid", models: ["Intelligent Wallbox", "Business Wallbox"], source: evcc("autoaid") },
  {
    maker: "Charge Amps",
    models: ["Halo"],
    source: evcc("chargeamps")
  },
  {
    maker: "CTEK",
    models: ["Chargestorm Connected 1", "Chargestorm Connected 2"],
    source: lbbrhzn
  },
  {
    maker: "Easee",
    models: ["Home", "Charge", "Charge Lite", "Charge Core"],
    labels: { password: null },
    fixedId: "serial number",
    firmware: "328",
    notes: [
      "The address is set over Easee's cloud API (local OCPP), not in the app.",
      "Limits of the power need a beta firmware (9012).",
      "Measured values come every 30 seconds at most."
    ],
    source: evcc("easee")
  },
  { maker: "Elecq", models: ["Home", "Biz", "Station"], source: evcc("elecq") },
  { maker: "eledio", models: ["go"], source: evcc("enercab") },
  {
    maker: "EN+",
    models: ["AC EV Charger", "Caro"],
    tool: { kind: "page", name: "192.168.4.1" },
    labels: { password: null },
    address: "base",
    fixedId: "serial number",
    firmware: "1.0.25.130",
    notes: [
      "The page is on the access point of the station, which it opens for 15 minutes after power was cut; the name of the network is the serial number.",
      "The field appends the serial number to the address by itself.",
      "Sold under other names too, such as cord and EV Switch.",
      "The station leaves the maker's cloud."
    ],
    source: both("enplus")
  },
  { maker: "enercab", models: ["smart"], source: evcc("enercab") },
  { maker: "EntraTek", models: ["Power Dot Fix", "Power Dot Pro 2"], source: evcc("entratek") },
  {
    maker: "Etrel",
    models: ["Inch Pro"],
    menu: ["Users", "Charging Authorization"],
    choose: { "Authorization type": "Central system only" },
    notes: [
      "With another authorization type the station numbers transactions itself, and some measured values are missing."
    ],
    source: lbbrhzn
  },
  {
    maker: "EVBox",
    models: ["Elvi"],
    notes: [
      "The phase rotation in the installation mode of the EVBox Connect app should end with RST: with another one the values come under wrong phases."
    ],
    source: both("evbox-elvi")
  },
  {
    maker: "FoxESS",
    models: ["AC EV Charger", "A series"],
    tool: { kind: "app", name: "FoxESS" },
    choose: { Protocol: "OCPP 1.6" },
    notes: [
      "Set 1.6 explicitly: in 2.0.1 (firmware 1.10) limits are refused and a start soon after a stop may take the station offline.",
      "The station may take 20 minutes to connect again; setting the protocol again in the app makes it connect within two."
    ],
    source: both("foxess")
  },
  { maker: "Free2move eSolutions", models: ["eProWallbox"], source: evcc("esolutions") },
  {
    maker: "Fronius",
    models: ["Wattpilot"],
    source: evcc("goe")
  },
  { maker: "Garo", models: ["Entity Pro"], source: lbbrhzn },
  {
    maker: "go-e",
    models: [
      "Charger Gemini flex 2.0",
      "Charger Gemini 2.0",
      "Charger Gemini flex",
      "Charger Gemini",
      "Charger CORE",
      "Charger V3",
      "Charger PRO"
    ],
    tool: { kind: "app", name: "go-e" },
    menu: ["Internet", "OCPP"],
    turnOn: ["OCPP enabled"],
    labels: { address: "OCPP server url", password: null },
    address: "full",
    notes: [
      "The same settings are keys of the local HTTP API: ocppe (enabled), ocppu (address with the id), ocppg (root certificates for wss).",
      "Without OCPP the charger can be linked as go-e, by its local HTTP API."
    ],
    source: `goecharger/go-eCharger-API-v2, ocpp-en.md; ${evcc("goe")}`
  },
  {
    maker: "Grizzl-E",
    models: ["Mini Connect 2024", "Ultimate"],
    notes: [
      "OCPP is a paid option for devices bought since September 2025.",
      "Firmware 03.09.0 accepts limits of the power without applying them; firmware 5 has further faults."
    ],
    source: lbbrhzn
  },
  { maker: "Hager", models: ["witty one", "witty plus", "witty pro", "witty park 2"], source: evcc("hager") },
  {
    maker: "Homecharge",
    models: ["HC11L", "HC22L"],
    tool: { kind: "page", name: "http://<station>/secc" },
    notes: [
      "Only the variants Energy and Profi have the meter that is needed.",
      "The dealer or EFR, the maker of the controller, gives the login of the page."
    ],
    source: evcc("homecharge")
  },
  { maker: "Huawei", models: ["SCharger-7KS-S0", "SCharger-22KT-S0"], source: evcc("huawei") },
  {
    maker: "Landis+Gyr",
    models: ["INCH"],
    choose: { "Communication protocol": "OCPP 1.6 JSON" },
    labels: { address: "Central system address", password: "Access key" },
    address: "base",
    fixedId: "serial number",
    source: "Landis+Gyr EV Solutions wiki, Central system settings"
  },
  { maker: "MaXpeedingrods", models: ["EV Charger"], source: lbbrhzn },
  { maker: "Mennekes", models: ["AMTRON 4Business", "AMTRON 4You"], source: evcc("mennekes-4you") },
  { maker: "Mennekes", models: ["Amtron Charge Control"], source: lbbrhzn },
  {
    maker: "Mennekes",
    models: ["eMobility Gateway (ACU)", "Smart (ACU)", "Smart T (ACU)"],
    tool: { kind: "page", name: "ACU" },
    menu: ["Setup", "Backend"],
    turnOn: ["Basic Authentication"],
    choose: { "Communication Protocol": "Open Charge Point Protocol v1.6J" },
    labels: { address: "Backend Server" },
    address: "base",
    notes: ["Turn on all options of OCPP 1.6 Settings."],
    source: evcc("mennekes-acu")
  },
  {
    maker: "Morek",
    models: ["Smart AC Charger"],
    firmware: "A0-MEV-V2.0.9",
    source: lbbrhzn
  },
  {
    maker: "NEcharge",
    models: ["Pro"],
    notes: ["Limits are rounded down to 6, 8, 10, 13 or 16 A."],
    source: evcc("necharge")
  },
  {
    maker: "Ocular",
    models: ["LTE Plus v3"],
    choose: { MODE: "ONLINE" },
    labels: { password: null },
    address: "no-scheme",
    notes: [
      "The examples that the app shows do not work.",
      "After a stop by command the station takes no start until the cable was unplugged; a stop with an end time pauses it instead."
    ],
    source: lbbrhzn
  },
  { maker: "Orbis", models: ["Viaris"], source: evcc("orbis") },
  {
    maker: "Rolec",
    models: ["EVO"],
    tool: { kind: "app", name: "Rolec Connect" },
    notes: ["Set the current to 32 A: it caps what commands may set."],
    source: lbbrhzn
  },
  {
    maker: "Schneider Electric",
    models: ["EVlink Pro AC", "EVlink Wallbox Plus"],
    tool: { kind: "app", name: "eSetup" },
    labels: { address: "Supervision URL" },
    notes: ["On a computer the EcoStruxure Charging Configuration Tool has the same setting."],
    source: lbbrhzn
  },
  { maker: "Simpson & Partners", models: ["Home EV Charger"], source: lbbrhzn },
  { maker: "SolarEdge", models: ["ONE EV Charger", "ONE EV Charger Pro"], source: evcc("solaredge") },
  {
    maker: "Spelsberg",
    models: ["Wallbox"],
    menu: ["System", "Settings", "More settings", "OCPP"],
    choose: { "Backend connection type": "Ethernet or WLAN", "OCPP mode": "OCPP-J 1.6" },
    labels: {
      address: "OCPP backend URL",
      stationId: "OCPP Charge Point ID",
      password: "OCPP backend password"
    },
    address: "base",
    source: "spelsberg.com, backend integration of the Wallbox"
  },
  { maker: "Sungrow", models: ["AC011E"], source: evcc("sungrow") },
  {
    maker: "SyncEV",
    models: ["Compact EVCP"],
    tool: { kind: "page", name: "access point of the station" },
    notes: ["Limits need firmware 1.6.3 and the mode SMART."],
    source: lbbrhzn
  },
  {
    maker: "Teison",
    models: ["Smart MINI Wallbox"],
    tool: { kind: "app", name: "My Teison" },
    turnOn: ["webSocket"],
    choose: { "socket port": "ocpp1.6, or socpp1.6 for wss" },
    labels: { address: "socket URL", password: null },
    notes: [
      "The station leaves the maker's cloud.",
      "After a lost connection it may need a restart, by Bluetooth in the app."
    ],
    source: lbbrhzn
  },
  { maker: "V2C", models: ["Trydan"], source: lbbrhzn },
  { maker: "Vestel", models: ["EVC04 HomeSmart"], source: lbbrhzn },
  {
    ...wallbox,
    models: ["Pulsar Plus", "Pulsar Max", "Commander 2", "Copper SB"],
    turnOn: ["Enable OCPP"],
    notes: wallboxNotes
  },
  {
    ...wallbox,
    models: [
      "Pulsar Plus (firmware 5)",
      "Pulsar Max (firmware 5)",
      "Commander 2 (firmware 5)",
      "Copper SB (firmware 5)"
    ],
    turnOn: ["Enable OCPP", "Improved charger control"],
    notes: [...wallboxNotes, "Improved charger control is under Profile, Experimental functions."]
  },
  {
    maker: "Zaptec",
    models: ["Go", "Go 2", "Pro"],
    tool: { kind: "portal", name: "Zaptec Portal" },
    menu: ["Installations", "OCPP 1.6J"],
    firmware: "2.4.2.4 (Go), 2.5.1.0 (Go in the UK), 3.2.1.0 (Go 2) or 7.5.4.0 (Pro)",
    notes: [
      "Zaptec must allow OCPP 1.6J for the user group of your company, and the installation needs the type Operator.",
      "A Pro needs a serial number from ZPR080000 on, or one that begins with ZPG.",
      "Not the older OCPP of Zaptec's cloud, which stands between the station and the platform."
    ],
    source: `docs.zaptec.com, OCPP 1.6J and its configuration guide; ${evcc("zaptec")}`
  },
  {
    maker: "ZJ Beny",
    models: ["BCP EV charger", "BCP-A2N-P"],
    notes: ["Models with similar names have no OCPP."],
    source: both("beny")
  }
]

/** A product as people call it. */
export const productName = ({ maker }: Pick<StationSetup, "maker">, model: string): string => `${maker} ${model}`

const byName = new Map(
  stationSetups.flatMap((setup) => setup.models.map((model) => [productName(setup, model), setup] as const))
)

/** The products by name, in the order of an alphabet. */
export const stationProducts: ReadonlyArray<string> = [...byName.keys()].toSorted((a, b) => a.localeCompare(b, "en"))

export const setupByProduct = (name: string): StationSetup | undefined => byName.get(name)
