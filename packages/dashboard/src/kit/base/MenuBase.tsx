import { Menu as Base } from "@base-ui/react/menu"
import type { ButtonHTMLAttributes, ReactElement, ReactNode } from "react"
import "./MenuBase.css"

export interface MenuItem {
  readonly id: string
  readonly label: ReactNode
  readonly onSelect: () => void
  readonly danger?: boolean
  readonly checked?: boolean
}

export interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>
  readonly items: ReadonlyArray<MenuItem>
}

const MenuBase = ({ trigger, items }: MenuProps) => (
  <Base.Root defaultOpen>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner className="menu-place" sideOffset={4} align="end">
        <Base.Popup className="menu">
          {items.map(({ id, label, onSelect, danger, checked }) => (
            <Base.Item key={id} className={danger ? "menu-item danger" : "menu-item"} onClick={onSelect}>
              {checked !== undefined && <span className="menu-mark">{checked ? "✓" : ""}</span>}
              {label}
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

export default MenuBase
