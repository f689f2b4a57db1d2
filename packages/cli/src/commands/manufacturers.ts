import { verb } from "../kernel/verb.ts"
import type { Product } from "@edp/domain/products/Product"
import type { Manufacturer } from "@edp/domain/manufacturers/Manufacturer"
import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { clearFlag, text, withCleared } from "../kernel/flags.ts"
import { request } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"

const columns: ReadonlyArray<Column<Manufacturer>> = [
  { title: "SLUG", value: ({ slug }) => slug, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "MAKES", value: (manufacturer) => manufacturer.deviceTypes },
  { title: "DIRECT", value: ({ directIntegration }) => (directIntegration ? "yes" : "no"), whole: true },
  { title: "CONNECTABLE", value: ({ connectable }) => (connectable ? "yes" : "no"), whole: true },
  { title: "ONLINE WINDOW", value: ({ onlineWindow }) => onlineWindow, right: true, wide: true },
  { title: "LOGO", value: ({ logoUrl }) => logoUrl, wide: true }
]

const fields = (manufacturer: Manufacturer) =>
  [
    ["slug", manufacturer.slug],
    ["name", manufacturer.name],
    ["makes", manufacturer.deviceTypes],
    ["direct integration", manufacturer.directIntegration],
    ["connectable", manufacturer.connectable],
    ["online window", `${manufacturer.onlineWindow} s`],
    ["logo", manufacturer.logoUrl]
  ] as const

const slug = Argument.String("slug").pipe(Argument.withDescription("Slug of the manufacturer"))

const settings = {
  deviceTypes: Flag.Literals("type", deviceTypes).pipe(
    Flag.withDescription("Device type; repeat for several"),
    Flag.atLeast(0)
  ),
  directIntegration: Flag.Boolean("direct").pipe(
    Flag.withDescription("Allow MANUFACTURER keys to provision devices and push readings; --no-direct forbids it"),
    Flag.optional
  ),
  logoUrl: text("logo", "An https address of the logo"),
  onlineWindow: Flag.Int("online-window").pipe(
    Flag.withMetavar("seconds"),
    Flag.withDescription("Seconds that a device counts as online after a reading; default: 900"),
    Flag.optional
  )
}

const list = verb("manufacturers list", "List manufacturers, by slug", pagingFlags, (flags) =>
  showList(flags, "manufacturers", columns, (query) => request("manufacturers", "list", { query }))
)

const show = verb("manufacturers show", "Show a manufacturer", { slug }, (params) =>
  showRecord(request("manufacturers", "get", { params }), fields)
)

const productColumns: ReadonlyArray<Column<Product>> = [
  { title: "PRODUCT", value: ({ name }) => name },
  { title: "MANUFACTURER", value: ({ manufacturer }) => manufacturer, whole: true },
  { title: "LINKED BY", value: ({ connection }) => connection ?? "not linked", whole: true },
  { title: "DEVICES", value: (product) => product.deviceTypes },
  { title: "COMMANDS", value: ({ commands }) => commands, wide: true },
  { title: "PROVEN AGAINST", value: ({ provenAgainst }) => provenAgainst, wide: true }
]

const find = verb(
  "manufacturers find",
  "Find products by name, and how each is linked",
  {
    q: Argument.String("query").pipe(
      Argument.withDescription("Words of the product's name or the manufacturer, any case"),
      Argument.atLeast(1)
    ),
    type: Flag.Literals("type", deviceTypes).pipe(
      Flag.withDescription("Only products of this device type; repeat for several"),
      Flag.atLeast(0)
    ),
    ...pagingFlags
  },
  ({ q, type, ...flags }) =>
    showList(flags, "products", productColumns, (position) =>
      request("products", "list", {
        query: { ...position, q: q.join(" "), ...(type.length > 0 && { type }) }
      })
    ),
  ["edp manufacturers find wallbox pulsar", "edp manufacturers find sonnen --type battery"]
)

const create = verb(
  "manufacturers create",
  "Create a manufacturer",
  {
    slug: Flag.String("slug").pipe(
      Flag.withDescription("1 to 63 lower-case letters, digits and hyphens; it can't be changed")
    ),
    name: Flag.String("name").pipe(Flag.withDescription("Display name")),
    ...settings
  },
  ({ deviceTypes, name, slug, ...rest }) =>
    showRecord(request("manufacturers", "create", { payload: { slug, name, deviceTypes, ...given(rest) } }), fields),
  ['edp manufacturers create --slug acme --name "Acme Energy" --type battery']
)

const clearing = { logo: { logoUrl: null } } as const

const update = verb(
  "manufacturers update",
  "Change a manufacturer; --type replaces all device types",
  { slug, name: text("name", "New name"), ...settings, clear: clearFlag(clearing) },
  Effect.fnUntraced(function* ({ clear, slug, ...changes }) {
    const payload = yield* withCleared(given(changes), clearing, clear)
    yield* showRecord(request("manufacturers", "update", { params: { slug }, payload }), fields)
  }),
  ["edp manufacturers update acme --online-window 1800"]
)

export const manufacturers = Command.make("manufacturers").pipe(
  Command.withDescription("Manufacturers of devices"),
  Command.withSubcommands([list, find, show, create, update])
)
