#pragma once
#include "../Darwin/Host.h"
