import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { type Html, html } from "./html.ts"

/** Pictures say nothing that the text beside them does not say, so they are hidden from screen readers. */
const icon = (shape: Html): Html =>
  html`<svg
    class="icon"
    viewBox="0 0 24 24"
    width="24"
    height="24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    ${shape}
  </svg>`

const bolt = html`<path d="M13 3 5 14h6l-1 7 8-11h-6l1-7Z" />`
const device = html`<rect x="5" y="4" width="14" height="16" rx="2" /><path d="M9 8h6M12 17h.01" />`

export const icons = {
  bolt: icon(bolt),
  check: icon(html`<path d="m5 12.5 4.5 4.5L19 7.5" />`),
  cross: icon(html`<path d="M6.5 6.5l11 11M17.5 6.5l-11 11" />`),
  warning: icon(html`<path d="M12 4 2.8 20h18.4L12 4Z" /><path d="M12 10v4.5M12 17.3v.01" />`),
  clock: icon(html`<circle cx="12" cy="12" r="9" /><path d="M12 7v5.2l3.2 2" />`),
  search: icon(html`<circle cx="11" cy="11" r="6.5" /><path d="m16 16 4.5 4.5" />`),
  arrow: icon(html`<path d="m9 5 7 7-7 7" />`),
  broken: icon(
    html`<path
      d="M9 15l-2.5 2.5a3.5 3.5 0 0 1-5-5L5 9M15 9l2.5-2.5a3.5 3.5 0 0 1 5 5L19 15M8 3v2.5M3 8h2.5M16 21v-2.5M21 16h-2.5"
    />`
  )
}

export const deviceIcons: Readonly<Record<DeviceType, Html>> = {
  battery: icon(
    html`<rect x="3" y="7" width="16" height="10" rx="2" /><path d="M22 10.5v3M11.5 9.5 9.5 12h3l-2 2.5" />`
  ),
  charger: icon(
    html`<rect x="4" y="3" width="10" height="18" rx="2" /><path
        d="M9.7 7.5 7.8 11h2.6l-1.6 3.2M14 12h1.5a2 2 0 0 1 2 2v2a1.75 1.75 0 0 0 3.5 0V9l-2.5-2.5"
      />`
  ),
  inverter: icon(
    html`<circle cx="12" cy="12" r="4" /><path
        d="M12 2.5v2.2M12 19.3v2.2M2.5 12h2.2M19.3 12h2.2M5.3 5.3l1.5 1.5M17.2 17.2l1.5 1.5M18.7 5.3l-1.5 1.5M6.8 17.2l-1.5 1.5"
      />`
  ),
  meter: icon(html`<path d="M4.2 18a9 9 0 1 1 15.6 0Z" /><path d="m12 14 4-5" />`),
  thermostat: icon(html`<circle cx="12" cy="12" r="9" /><path d="M12 7.5v6.3" /><circle cx="12" cy="15" r="1.2" />`),
  vehicle: icon(
    html`<path d="M4 16.5v-4l2-5.2A2 2 0 0 1 7.9 6h8.2A2 2 0 0 1 18 7.3l2 5.2v4M4 12h16" /><path
        d="M3.5 16.5h17v2h-3v-2M6.5 16.5v2h-3v-2"
      />`
  ),
  water_heater: icon(
    html`<rect x="6" y="2.5" width="12" height="16" rx="3" /><path
        d="M9 18.5v3M15 18.5v3M12 7.5s-2.2 2.6-2.2 4.2a2.2 2.2 0 0 0 4.4 0C14.2 10.100 12 7.500 12 7.500Z"
      />`
  ),
  other: icon(device),
  unknown: icon(device)
}
