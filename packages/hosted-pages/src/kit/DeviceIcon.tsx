import { type IconName, Icon, Picture } from "@edp/dashboard/kit/Icon.tsx"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { ReactNode } from "react"

const device = (
  <>
    <rect x="5" y="4" width="14" height="16" rx="2" />
    <path d="M9 8h6M12 17h.01" />
  </>
)

const shapes: Readonly<Record<DeviceType, ReactNode>> = {
  battery: (
    <>
      <rect x="3" y="7" width="16" height="10" rx="2" />
      <path d="M22 10.5v3M11.5 9.5 9.5 12h3l-2 2.5" />
    </>
  ),
  charger: (
    <>
      <rect x="4" y="3" width="10" height="18" rx="2" />
      <path d="M9.7 7.5 7.8 11h2.6l-1.6 3.2M14 12h1.5a2 2 0 0 1 2 2v2a1.75 1.75 0 0 0 3.5 0V9l-2.5-2.5" />
    </>
  ),
  inverter: (
    <>
      <circle cx="12" cy="12" r="4" />
      <path d="M12 2.5v2.2M12 19.3v2.2M2.5 12h2.2M19.3 12h2.2M5.3 5.3l1.5 1.5M17.2 17.2l1.5 1.5M18.7 5.3l-1.5 1.5M6.8 17.2l-1.5 1.5" />
    </>
  ),
  meter: <path d="M4.2 18a9 9 0 1 1 15.6 0ZM12 14l4-5" />,
  thermostat: (
    <>
      <circle cx="12" cy="12" r="9" />
      <path d="M12 7.5v6.3" />
      <circle cx="12" cy="15" r="1.2" />
    </>
  ),
  vehicle: (
    <path d="M4 16.5v-4l2-5.2A2 2 0 0 1 7.9 6h8.2A2 2 0 0 1 18 7.3l2 5.2v4M4 12h16M3.5 16.5h17v2h-3v-2M6.5 16.5v2h-3v-2" />
  ),
  water_heater: (
    <>
      <rect x="6" y="2.5" width="12" height="16" rx="3" />
      <path d="M9 18.5v3M15 18.5v3M12 7.5s-2.2 2.6-2.2 4.2a2.2 2.2 0 0 0 4.4 0C14.2 10.1 12 7.5 12 7.5Z" />
    </>
  ),
  other: device,
  unknown: device
}

export const DeviceIcon = ({ type }: { readonly type: DeviceType }) => <Picture size={24}>{shapes[type]}</Picture>

interface MarkedListProps {
  readonly lines: ReadonlyArray<string>
  readonly icon: IconName
  readonly tone: "yes" | "no"
}

/** Lines with the same mark before each. */
export const MarkedList = ({ lines, icon, tone }: MarkedListProps) => (
  <ul className={`marked ${tone}`}>
    {lines.map((line) => (
      <li key={line}>
        <Icon name={icon} />
        <span>{line}</span>
      </li>
    ))}
  </ul>
)
