import { modbusAdapter } from "@edp/adapter-kit/modbus/ModbusAdapter"
import { anySunSpecDevice } from "./sunSpecDriver.ts"

/** Any device that describes itself by SunSpec over Modbus TCP. */
export const sunSpecAdapter = modbusAdapter({ slug: "sunspec", name: "SunSpec Modbus", drivers: [anySunSpecDevice] })
