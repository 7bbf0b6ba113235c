#pragma once
#include "../../Darwin/Types.h"
