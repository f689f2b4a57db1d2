import type { CommandSlug, CommandType } from "@edp/domain/devices/DeviceType"

/**
 * The input of each type of command, for forms of many devices. A test compares it with the contract, whose module would bring
 * the generator of JSON Schema into the first load.
 */
export const inputSchemas: Readonly<Record<CommandSlug, object>> = {
  "battery:set-reserve": {
    type: "object",
    properties: {
      chargePercentage: {
        type: "number",
        minimum: 0,
        maximum: 100
      }
    },
    required: ["chargePercentage"]
  },
  "battery:set-operating-mode": {
    type: "object",
    properties: {
      operatingMode: {
        type: "string",
        enum: ["charge", "discharge", "idle", "reset"]
      },
      minimumBatteryReserve: {
        type: "number",
        minimum: 0,
        maximum: 100
      },
      maximumBatteryReserve: {
        type: "number",
        minimum: 0,
        maximum: 100
      },
      enableGridInteraction: {
        type: "boolean"
      },
      executionPriority: {
        type: "string",
        enum: ["baseline", "grid_services"]
      },
      targetPowerW: {
        type: "number",
        exclusiveMinimum: 0
      }
    },
    required: ["operatingMode"],
    allOf: [
      {
        if: {
          properties: {
            operatingMode: {
              enum: ["idle", "reset"]
            }
          }
        },
        then: {
          not: {
            required: ["targetPowerW"]
          }
        }
      }
    ]
  },
  "charger:set-operating-mode": {
    type: "object",
    properties: {
      operatingMode: {
        type: "string",
        enum: ["start-charging", "stop-charging"]
      },
      targetPowerW: {
        type: "number",
        exclusiveMinimum: 0
      }
    },
    required: ["operatingMode"],
    allOf: [
      {
        if: {
          properties: {
            operatingMode: {
              enum: ["stop-charging"]
            }
          }
        },
        then: {
          not: {
            required: ["targetPowerW"]
          }
        }
      }
    ]
  },
  "thermostat:set-operating-mode": {
    type: "object",
    properties: {
      operatingMode: {
        type: "string",
        enum: ["heat", "cool", "auto", "eco", "off"]
      },
      heatTarget: {
        type: "number"
      },
      coolTarget: {
        type: "number"
      }
    },
    required: ["operatingMode"],
    allOf: [
      {
        if: {
          properties: {
            operatingMode: {
              const: "heat"
            }
          }
        },
        then: {
          required: ["heatTarget"]
        }
      },
      {
        if: {
          properties: {
            operatingMode: {
              const: "cool"
            }
          }
        },
        then: {
          required: ["coolTarget"]
        }
      },
      {
        if: {
          properties: {
            operatingMode: {
              const: "auto"
            }
          }
        },
        then: {
          required: ["heatTarget", "coolTarget"]
        }
      }
    ]
  },
  "thermostat:set-fan-mode": {
    type: "object",
    properties: {
      fanMode: {
        type: "string",
        enum: ["auto", "on", "off", "circulate"]
      }
    },
    required: ["fanMode"]
  },
  "thermostat:pause-schedule": {
    type: "object"
  },
  "thermostat:resume-schedule": {
    type: "object"
  },
  "vehicle:check-pairing-status": {
    type: "object"
  },
  "vehicle:set-charge-limit": {
    type: "object",
    properties: {
      chargeLimit: {
        type: "number",
        minimum: 0,
        maximum: 100
      }
    },
    required: ["chargeLimit"]
  },
  "vehicle:set-operating-mode": {
    type: "object",
    properties: {
      operatingMode: {
        type: "string",
        enum: ["start-charging", "stop-charging"]
      },
      targetPowerW: {
        type: "number",
        exclusiveMinimum: 0
      }
    },
    required: ["operatingMode"],
    allOf: [
      {
        if: {
          properties: {
            operatingMode: {
              enum: ["stop-charging"]
            }
          }
        },
        then: {
          not: {
            required: ["targetPowerW"]
          }
        }
      }
    ]
  }
}

/** A command as an entry of `availableCommands`, without the limits of a device. */
export const commandOfSlug = (slug: CommandSlug): CommandType => ({
  slug,
  description: "",
  inputSchema: inputSchemas[slug] as never
})
